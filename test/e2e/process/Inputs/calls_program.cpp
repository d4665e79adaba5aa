// SPDX-License-Identifier: Apache-2.0
extern "C" void ofTheProgram();

static int called = 0;
__attribute__((constructor)) static void early() {
  ofTheProgram();
  called = 1;
}
int calledEarly() { return called; }
