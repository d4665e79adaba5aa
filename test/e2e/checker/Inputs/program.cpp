// The first three lines stand for a program.
//
cudaMalloc(&d_x, n * 4); // @leak
//
//
//
model = load(); // @caller
