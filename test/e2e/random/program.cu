// Runs random programs: one for each seed, in a process of its own.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// ONLY: simulator
// DLOPEN-PLAIN: libunseen.so Inputs/unseen.cu
// DLOPEN-PLAIN: libforeign.so Inputs/foreign.cpp
//
// app FIRST COUNT               seeds FIRST to FIRST + COUNT - 1; a line `SEED PID STATUS [LINE...]` for each
// app --seed SEED [--without ID,ID] [--print]   one, in this process, without some of its operations
#include "Inputs/interpret.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int run(uint64_t seed, const std::set<unsigned> &without, int told) {
  Generator generator(seed);
  std::vector<Operation> program = generator.program();
  Interpreter interpreter(generator.features, without);
  interpreter.run(program);
  for (unsigned line : interpreter.wrongLines())
    dprintf(told, "wrong %u\n", line);
  return 0;
}

static int runAll(uint64_t first, uint64_t count) {
  constexpr unsigned Seconds = 20;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    fflush(stdout);
    int ends[2];
    if (pipe(ends) != 0)
      return 1;
    pid_t child = fork();
    if (child == 0) {
      alarm(Seconds);
      exit(run(seed, {}, ends[1]));
    }
    close(ends[1]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
      ;
    int code = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
    printf("%llu %d %d", static_cast<unsigned long long>(seed), int(child), code);
    unsigned line;
    FILE *said = fdopen(ends[0], "r");
    while (fscanf(said, "wrong %u\n", &line) == 1)
      printf(" %u", line);
    fclose(said);
    printf("\n");
    fflush(stdout);
  }
  return 0;
}

int main(int count, char **words) {
  if (count == 3 && words[1][0] != '-')
    return runAll(strtoull(words[1], nullptr, 10), strtoull(words[2], nullptr, 10));
  std::set<unsigned> without;
  uint64_t seed = 0;
  bool prints = false;
  for (int i = 1; i < count; ++i) {
    if (!strcmp(words[i], "--seed") && i + 1 < count)
      seed = strtoull(words[++i], nullptr, 10);
    else if (!strcmp(words[i], "--without") && i + 1 < count)
      for (char *id = strtok(words[++i], ","); id; id = strtok(nullptr, ","))
        without.insert(unsigned(strtoul(id, nullptr, 10)));
    else if (!strcmp(words[i], "--print"))
      prints = true;
    else
      return fprintf(stderr, "usage: %s FIRST COUNT | --seed SEED [--without ID,...] [--print]\n", words[0]), 2;
  }
  if (prints) {
    print(Generator(seed).program(), without);
    return 0;
  }
  return run(seed, without, 2);
}
