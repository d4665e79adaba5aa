#define FROM_A_FILE 1
