// Only a library's constructor uses CUDA: the exit handler that asks the driver runs late.
// SPDX-License-Identifier: Apache-2.0
// SHARED: libearly.so Inputs/early.cpp
// OPTIONS: fail_on=leak
// EXPECT-EXIT: 23
// EXPECT-PLAIN-EXIT: 0
// EXPECT: leak proven memory=device variable=table line=@Inputs/early.cpp:table via=@Inputs/early.cpp:alloc via-function=Table::Table count=1 bytes=4096
// EXPECT-ALL
// EXPECT-PROCESS: ended=exit exit_code=0
#include <cstdio>

int tableState();

int main() { printf("table %d\n", tableState()); }
