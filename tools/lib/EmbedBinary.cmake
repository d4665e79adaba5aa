# Turns a file into a list of byte literals: cmake -DINPUT=a -DOUTPUT=b -P EmbedBinary.cmake
# SPDX-License-Identifier: Apache-2.0
file(READ ${INPUT} hex HEX)
string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
file(WRITE ${OUTPUT} "${hex}\n")
