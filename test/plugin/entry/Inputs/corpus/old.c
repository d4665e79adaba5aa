/* corpus: -std=c89 -pedantic -Wall | -std=c99 */
#include <stdio.h>
int twice(x) int x; { return implicit(x) + x; }
main(argc, argv) char **argv; { printf("%d\n", argc); return 0; }
