#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws where clusters fit on a device, one team an SM.

    build/bin/kohort info --profile h200-sxm --json | docs/pictures/draw_placement.py 8 16 > placement.svg

A row of squares is a group of SMs that can host one cluster; a colour is a resident cluster; grey SMs
stand idle. The count is checked against the program's own `max_active_clusters`.
"""

import json
import sys

COLOURS = ["#4477aa", "#66ccee", "#228833", "#ccbb44", "#ee6677", "#aa3377", "#ee8866", "#44bb99"]
IDLE = "#d0d0d0"
SQUARE, GAP, ROW, LEFT, TOP = 14, 3, 21, 46, 62


def clusters_of(groups, size):
    """[(group, first SM in it)] of every cluster that fits, group after group."""
    return [(g, n * size) for g, sms in enumerate(groups) for n in range(sms // size)]


def squares(groups, size, left):
    lines = []
    placed = {}
    for number, (group, first) in enumerate(clusters_of(groups, size)):
        for sm in range(first, first + size):
            placed[group, sm] = COLOURS[number % len(COLOURS)]
    for group, sms in enumerate(groups):
        y = TOP + group * ROW
        lines.append(
            '<text x="%d" y="%d" text-anchor="end" class="small">%d</text>' % (left - 8, y + 11, sms)
        )
        for sm in range(sms):
            lines.append(
                '<rect x="%d" y="%d" width="%d" height="%d" rx="2" fill="%s"/>'
                % (left + sm * (SQUARE + GAP), y, SQUARE, SQUARE, placed.get((group, sm), IDLE))
            )
    return lines


def main():
    info = json.load(sys.stdin)
    groups = info["sm_groups"]
    sizes = [int(size) for size in sys.argv[1:]] or [8, 16]
    panel = LEFT + max(groups) * (SQUARE + GAP) + 30
    width = panel * len(sizes)
    height = TOP + len(groups) * ROW + 12
    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif">'
        % (width, height),
        "<!-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -->",
        "<!-- made by docs/pictures/draw_placement.py -->",
        "<style>text{font-size:15px;fill:#222}.small{font-size:12px;fill:#555}</style>",
        '<rect width="%d" height="%d" fill="#ffffff"/>' % (width, height),
    ]
    for place, size in enumerate(sizes):
        left = place * panel + LEFT
        resident = len(clusters_of(groups, size))
        expected = info["max_active_clusters"]["1"][size - 1]
        if resident != expected:
            sys.exit("clusters of %d: %d drawn, the program says %d" % (size, resident, expected))
        idle = sum(groups) - resident * size
        lines.append('<text x="%d" y="24">clusters of %d: %d resident</text>' % (left, size, resident))
        lines.append(
            '<text x="%d" y="46" class="small">%s, %d SMs, one team an SM; %d SMs idle (grey)</text>'
            % (left, info["name"], sum(groups), idle)
        )
        lines += squares(groups, size, left)
    lines.append("</svg>")
    print("\n".join(lines))


main()
