// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// The accumulators of a warpgroup's product as operands of inline assembly, which knows no arrays:
/// KOHORT_REGISTERS_<n> names the first n operands, KOHORT_OPERANDS_<n>(kind, v) passes v[0] …
/// v[n-1], KOHORT_NEXT_<n>_<i> is the i-th operand after them.
#define KOHORT_REGISTERS_16 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define KOHORT_OPERANDS_16(kind, v)                                                               \
  kind(v[0]), kind(v[1]), kind(v[2]), kind(v[3]), kind(v[4]), kind(v[5]), kind(v[6]), kind(v[7]), \
      kind(v[8]), kind(v[9]), kind(v[10]), kind(v[11]), kind(v[12]), kind(v[13]), kind(v[14]),    \
      kind(v[15])
#define KOHORT_NEXT_16_0 "%16"
#define KOHORT_NEXT_16_1 "%17"
#define KOHORT_NEXT_16_2 "%18"
#define KOHORT_NEXT_16_3 "%19"
#define KOHORT_NEXT_16_4 "%20"
#define KOHORT_NEXT_16_5 "%21"
#define KOHORT_NEXT_16_6 "%22"
#define KOHORT_REGISTERS_32                                                \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define KOHORT_OPERANDS_32(kind, v)                                                               \
  kind(v[0]), kind(v[1]), kind(v[2]), kind(v[3]), kind(v[4]), kind(v[5]), kind(v[6]), kind(v[7]), \
      kind(v[8]), kind(v[9]), kind(v[10]), kind(v[11]), kind(v[12]), kind(v[13]), kind(v[14]),    \
      kind(v[15]), kind(v[16]), kind(v[17]), kind(v[18]), kind(v[19]), kind(v[20]), kind(v[21]),  \
      kind(v[22]), kind(v[23]), kind(v[24]), kind(v[25]), kind(v[26]), kind(v[27]), kind(v[28]),  \
      kind(v[29]), kind(v[30]), kind(v[31])
#define KOHORT_NEXT_32_0 "%32"
#define KOHORT_NEXT_32_1 "%33"
#define KOHORT_NEXT_32_2 "%34"
#define KOHORT_NEXT_32_3 "%35"
#define KOHORT_NEXT_32_4 "%36"
#define KOHORT_NEXT_32_5 "%37"
#define KOHORT_NEXT_32_6 "%38"
#define KOHORT_REGISTERS_48                                                          \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "           \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define KOHORT_OPERANDS_48(kind, v)                                                               \
  kind(v[0]), kind(v[1]), kind(v[2]), kind(v[3]), kind(v[4]), kind(v[5]), kind(v[6]), kind(v[7]), \
      kind(v[8]), kind(v[9]), kind(v[10]), kind(v[11]), kind(v[12]), kind(v[13]), kind(v[14]),    \
      kind(v[15]), kind(v[16]), kind(v[17]), kind(v[18]), kind(v[19]), kind(v[20]), kind(v[21]),  \
      kind(v[22]), kind(v[23]), kind(v[24]), kind(v[25]), kind(v[26]), kind(v[27]), kind(v[28]),  \
      kind(v[29]), kind(v[30]), kind(v[31]), kind(v[32]), kind(v[33]), kind(v[34]), kind(v[35]),  \
      kind(v[36]), kind(v[37]), kind(v[38]), kind(v[39]), kind(v[40]), kind(v[41]), kind(v[42]),  \
      kind(v[43]), kind(v[44]), kind(v[45]), kind(v[46]), kind(v[47])
#define KOHORT_NEXT_48_0 "%48"
#define KOHORT_NEXT_48_1 "%49"
#define KOHORT_NEXT_48_2 "%50"
#define KOHORT_NEXT_48_3 "%51"
#define KOHORT_NEXT_48_4 "%52"
#define KOHORT_NEXT_48_5 "%53"
#define KOHORT_NEXT_48_6 "%54"
#define KOHORT_REGISTERS_64                                                          \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "           \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define KOHORT_OPERANDS_64(kind, v)                                                               \
  kind(v[0]), kind(v[1]), kind(v[2]), kind(v[3]), kind(v[4]), kind(v[5]), kind(v[6]), kind(v[7]), \
      kind(v[8]), kind(v[9]), kind(v[10]), kind(v[11]), kind(v[12]), kind(v[13]), kind(v[14]),    \
      kind(v[15]), kind(v[16]), kind(v[17]), kind(v[18]), kind(v[19]), kind(v[20]), kind(v[21]),  \
      kind(v[22]), kind(v[23]), kind(v[24]), kind(v[25]), kind(v[26]), kind(v[27]), kind(v[28]),  \
      kind(v[29]), kind(v[30]), kind(v[31]), kind(v[32]), kind(v[33]), kind(v[34]), kind(v[35]),  \
      kind(v[36]), kind(v[37]), kind(v[38]), kind(v[39]), kind(v[40]), kind(v[41]), kind(v[42]),  \
      kind(v[43]), kind(v[44]), kind(v[45]), kind(v[46]), kind(v[47]), kind(v[48]), kind(v[49]),  \
      kind(v[50]), kind(v[51]), kind(v[52]), kind(v[53]), kind(v[54]), kind(v[55]), kind(v[56]),  \
      kind(v[57]), kind(v[58]), kind(v[59]), kind(v[60]), kind(v[61]), kind(v[62]), kind(v[63])
#define KOHORT_NEXT_64_0 "%64"
#define KOHORT_NEXT_64_1 "%65"
#define KOHORT_NEXT_64_2 "%66"
#define KOHORT_NEXT_64_3 "%67"
#define KOHORT_NEXT_64_4 "%68"
#define KOHORT_NEXT_64_5 "%69"
#define KOHORT_NEXT_64_6 "%70"
#define KOHORT_REGISTERS_96                                                          \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "           \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, " \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define KOHORT_OPERANDS_96(kind, v)                                                               \
  kind(v[0]), kind(v[1]), kind(v[2]), kind(v[3]), kind(v[4]), kind(v[5]), kind(v[6]), kind(v[7]), \
      kind(v[8]), kind(v[9]), kind(v[10]), kind(v[11]), kind(v[12]), kind(v[13]), kind(v[14]),    \
      kind(v[15]), kind(v[16]), kind(v[17]), kind(v[18]), kind(v[19]), kind(v[20]), kind(v[21]),  \
      kind(v[22]), kind(v[23]), kind(v[24]), kind(v[25]), kind(v[26]), kind(v[27]), kind(v[28]),  \
      kind(v[29]), kind(v[30]), kind(v[31]), kind(v[32]), kind(v[33]), kind(v[34]), kind(v[35]),  \
      kind(v[36]), kind(v[37]), kind(v[38]), kind(v[39]), kind(v[40]), kind(v[41]), kind(v[42]),  \
      kind(v[43]), kind(v[44]), kind(v[45]), kind(v[46]), kind(v[47]), kind(v[48]), kind(v[49]),  \
      kind(v[50]), kind(v[51]), kind(v[52]), kind(v[53]), kind(v[54]), kind(v[55]), kind(v[56]),  \
      kind(v[57]), kind(v[58]), kind(v[59]), kind(v[60]), kind(v[61]), kind(v[62]), kind(v[63]),  \
      kind(v[64]), kind(v[65]), kind(v[66]), kind(v[67]), kind(v[68]), kind(v[69]), kind(v[70]),  \
      kind(v[71]), kind(v[72]), kind(v[73]), kind(v[74]), kind(v[75]), kind(v[76]), kind(v[77]),  \
      kind(v[78]), kind(v[79]), kind(v[80]), kind(v[81]), kind(v[82]), kind(v[83]), kind(v[84]),  \
      kind(v[85]), kind(v[86]), kind(v[87]), kind(v[88]), kind(v[89]), kind(v[90]), kind(v[91]),  \
      kind(v[92]), kind(v[93]), kind(v[94]), kind(v[95])
#define KOHORT_NEXT_96_0 "%96"
#define KOHORT_NEXT_96_1 "%97"
#define KOHORT_NEXT_96_2 "%98"
#define KOHORT_NEXT_96_3 "%99"
#define KOHORT_NEXT_96_4 "%100"
#define KOHORT_NEXT_96_5 "%101"
#define KOHORT_NEXT_96_6 "%102"
#define KOHORT_REGISTERS_128                                                                     \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                       \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "             \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "             \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "             \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "             \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "             \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define KOHORT_OPERANDS_128(kind, v)                                                              \
  kind(v[0]), kind(v[1]), kind(v[2]), kind(v[3]), kind(v[4]), kind(v[5]), kind(v[6]), kind(v[7]), \
      kind(v[8]), kind(v[9]), kind(v[10]), kind(v[11]), kind(v[12]), kind(v[13]), kind(v[14]),    \
      kind(v[15]), kind(v[16]), kind(v[17]), kind(v[18]), kind(v[19]), kind(v[20]), kind(v[21]),  \
      kind(v[22]), kind(v[23]), kind(v[24]), kind(v[25]), kind(v[26]), kind(v[27]), kind(v[28]),  \
      kind(v[29]), kind(v[30]), kind(v[31]), kind(v[32]), kind(v[33]), kind(v[34]), kind(v[35]),  \
      kind(v[36]), kind(v[37]), kind(v[38]), kind(v[39]), kind(v[40]), kind(v[41]), kind(v[42]),  \
      kind(v[43]), kind(v[44]), kind(v[45]), kind(v[46]), kind(v[47]), kind(v[48]), kind(v[49]),  \
      kind(v[50]), kind(v[51]), kind(v[52]), kind(v[53]), kind(v[54]), kind(v[55]), kind(v[56]),  \
      kind(v[57]), kind(v[58]), kind(v[59]), kind(v[60]), kind(v[61]), kind(v[62]), kind(v[63]),  \
      kind(v[64]), kind(v[65]), kind(v[66]), kind(v[67]), kind(v[68]), kind(v[69]), kind(v[70]),  \
      kind(v[71]), kind(v[72]), kind(v[73]), kind(v[74]), kind(v[75]), kind(v[76]), kind(v[77]),  \
      kind(v[78]), kind(v[79]), kind(v[80]), kind(v[81]), kind(v[82]), kind(v[83]), kind(v[84]),  \
      kind(v[85]), kind(v[86]), kind(v[87]), kind(v[88]), kind(v[89]), kind(v[90]), kind(v[91]),  \
      kind(v[92]), kind(v[93]), kind(v[94]), kind(v[95]), kind(v[96]), kind(v[97]), kind(v[98]),  \
      kind(v[99]), kind(v[100]), kind(v[101]), kind(v[102]), kind(v[103]), kind(v[104]),          \
      kind(v[105]), kind(v[106]), kind(v[107]), kind(v[108]), kind(v[109]), kind(v[110]),         \
      kind(v[111]), kind(v[112]), kind(v[113]), kind(v[114]), kind(v[115]), kind(v[116]),         \
      kind(v[117]), kind(v[118]), kind(v[119]), kind(v[120]), kind(v[121]), kind(v[122]),         \
      kind(v[123]), kind(v[124]), kind(v[125]), kind(v[126]), kind(v[127])
#define KOHORT_NEXT_128_0 "%128"
#define KOHORT_NEXT_128_1 "%129"
#define KOHORT_NEXT_128_2 "%130"
#define KOHORT_NEXT_128_3 "%131"
#define KOHORT_NEXT_128_4 "%132"
#define KOHORT_NEXT_128_5 "%133"
#define KOHORT_NEXT_128_6 "%134"
