// Included by the device alone, by a macro that it alone defines.
#define FROM_A_NAMED_FILE
