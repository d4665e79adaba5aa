# A table that goes to the device with each batch of a loader that has workers.
# SPDX-License-Identifier: Apache-2.0
import sys
import torch
from torch.utils.data import DataLoader, TensorDataset
twin = len(sys.argv) > 1


def main():
    torch.manual_seed(0)
    data = TensorDataset(torch.randn(3072, 3, 64, 64))
    net = torch.nn.Conv2d(3, 16, 3).cuda()
    values = torch.rand(3, 256, 256)
    table = values.cuda()
    total = 0
    for (x,) in DataLoader(data, batch_size=64, num_workers=2, pin_memory=True):
        if not twin:
            table = values.cuda()  # EXPECT: reupload|noop-copy
        y = net(x.cuda(non_blocking=True)).mean() + table.mean()
        total += float(y.detach())
    print(total)


if __name__ == "__main__":
    main()
