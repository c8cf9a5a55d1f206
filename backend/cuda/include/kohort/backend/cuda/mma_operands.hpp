// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// The accumulators of a warpgroup's product as operands of inline assembly, which knows no arrays:
/// KOHORT_REGISTERS_<n> names the first n operands, KOHORT_OPERANDS_<n>(kind, v) passes v[0] …
/// v[n-1], KOHORT_NEXT_<n>_<i> is the i-th operand after them.
#define KOHORT_OPERANDS_FROM(i, kind, v)                                                      \
  kind(v[i]), kind(v[i + 1]), kind(v[i + 2]), kind(v[i + 3]), kind(v[i + 4]), kind(v[i + 5]), \
      kind(v[i + 6]), kind(v[i + 7]), kind(v[i + 8]), kind(v[i + 9]), kind(v[i + 10]),        \
      kind(v[i + 11]), kind(v[i + 12]), kind(v[i + 13]), kind(v[i + 14]), kind(v[i + 15])

#define KOHORT_REGISTERS_16 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define KOHORT_OPERANDS_16(kind, v) KOHORT_OPERANDS_FROM(0, kind, v)
#define KOHORT_NEXT_16_0 "%16"
#define KOHORT_NEXT_16_1 "%17"
#define KOHORT_NEXT_16_2 "%18"
#define KOHORT_NEXT_16_3 "%19"
#define KOHORT_NEXT_16_4 "%20"
#define KOHORT_NEXT_16_5 "%21"
#define KOHORT_NEXT_16_6 "%22"

#define KOHORT_REGISTERS_32 \
  KOHORT_REGISTERS_16       \
  ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define KOHORT_OPERANDS_32(kind, v) KOHORT_OPERANDS_16(kind, v), KOHORT_OPERANDS_FROM(16, kind, v)
#define KOHORT_NEXT_32_0 "%32"
#define KOHORT_NEXT_32_1 "%33"
#define KOHORT_NEXT_32_2 "%34"
#define KOHORT_NEXT_32_3 "%35"
#define KOHORT_NEXT_32_4 "%36"
#define KOHORT_NEXT_32_5 "%37"
#define KOHORT_NEXT_32_6 "%38"

#define KOHORT_REGISTERS_48 \
  KOHORT_REGISTERS_32       \
  ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define KOHORT_OPERANDS_48(kind, v) KOHORT_OPERANDS_32(kind, v), KOHORT_OPERANDS_FROM(32, kind, v)
#define KOHORT_NEXT_48_0 "%48"
#define KOHORT_NEXT_48_1 "%49"
#define KOHORT_NEXT_48_2 "%50"
#define KOHORT_NEXT_48_3 "%51"
#define KOHORT_NEXT_48_4 "%52"
#define KOHORT_NEXT_48_5 "%53"
#define KOHORT_NEXT_48_6 "%54"

#define KOHORT_REGISTERS_64 \
  KOHORT_REGISTERS_48       \
  ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define KOHORT_OPERANDS_64(kind, v) KOHORT_OPERANDS_48(kind, v), KOHORT_OPERANDS_FROM(48, kind, v)
#define KOHORT_NEXT_64_0 "%64"
#define KOHORT_NEXT_64_1 "%65"
#define KOHORT_NEXT_64_2 "%66"
#define KOHORT_NEXT_64_3 "%67"
#define KOHORT_NEXT_64_4 "%68"
#define KOHORT_NEXT_64_5 "%69"
#define KOHORT_NEXT_64_6 "%70"

#define KOHORT_REGISTERS_96                                                          \
  KOHORT_REGISTERS_64                                                                \
  ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79" \
  ", %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define KOHORT_OPERANDS_96(kind, v) \
  KOHORT_OPERANDS_64(kind, v), KOHORT_OPERANDS_FROM(64, kind, v), KOHORT_OPERANDS_FROM(80, kind, v)
#define KOHORT_NEXT_96_0 "%96"
#define KOHORT_NEXT_96_1 "%97"
#define KOHORT_NEXT_96_2 "%98"
#define KOHORT_NEXT_96_3 "%99"
#define KOHORT_NEXT_96_4 "%100"
#define KOHORT_NEXT_96_5 "%101"
#define KOHORT_NEXT_96_6 "%102"

#define KOHORT_REGISTERS_128                         \
  KOHORT_REGISTERS_96                                \
  ", %96, %97, %98, %99, %100, %101, %102, %103"     \
  ", %104, %105, %106, %107, %108, %109, %110, %111" \
  ", %112, %113, %114, %115, %116, %117, %118, %119" \
  ", %120, %121, %122, %123, %124, %125, %126, %127"
#define KOHORT_OPERANDS_128(kind, v) \
  KOHORT_OPERANDS_96(kind, v), KOHORT_OPERANDS_FROM(96, kind, v), KOHORT_OPERANDS_FROM(112, kind, v)
#define KOHORT_NEXT_128_0 "%128"
#define KOHORT_NEXT_128_1 "%129"
#define KOHORT_NEXT_128_2 "%130"
#define KOHORT_NEXT_128_3 "%131"
#define KOHORT_NEXT_128_4 "%132"
#define KOHORT_NEXT_128_5 "%133"
#define KOHORT_NEXT_128_6 "%134"
