; corpus: same -O1
declare i32 @puts(ptr)
@text = private constant [3 x i8] c"hi\00"
define i32 @main() {
  %r = call i32 @puts(ptr @text)
  ret i32 %r
}
