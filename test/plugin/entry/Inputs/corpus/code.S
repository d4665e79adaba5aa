// corpus: same
#define NAME answer
    .globl NAME
NAME:
    ret
