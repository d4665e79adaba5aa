// Included by the device alone, by #import.
#define IMPORTED
