// Colours apart for those who see all colours and for those who do not (full dichromacy, Machado et al. 2009), as distances
// in OKLab times 100: about 2 is the least that is noticed side by side.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

type Triple = readonly [number, number, number]

const css = readFileSync(new URL('../theme.css', import.meta.url), 'utf8')
const SURFACES = /--surface: light-dark\((#\w{6}), (#\w{6})\)/.exec(css)!.slice(1)
const SEEN: Readonly<Record<string, readonly Triple[]>> = {
  all: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  'no red': [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  'no green': [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  'no blue': [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
}

function colours(role: string, theme: number): string[] {
  const found = [...css.matchAll(/--(series|action)-\d+: light-dark\((#\w{6}), (#\w{6})\)/g)]
  return found.filter(([, kind]) => kind === role).map((match) => match[2 + theme]!)
}

function linear(hex: string): Triple {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return [r!, g!, b!]
}

function times(matrix: readonly Triple[], [r, g, b]: Triple): Triple {
  const [x, y, z] = matrix.map((row) => row[0] * r + row[1] * g + row[2] * b)
  return [x!, y!, z!]
}

function oklab(rgb: Triple): Triple {
  const cones = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    rgb,
  )
  return times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    [Math.cbrt(cones[0]), Math.cbrt(cones[1]), Math.cbrt(cones[2])],
  )
}

function closest(hexes: readonly string[], eye: string): number {
  const places = hexes.map((hex) => {
    const [r, g, b] = times(SEEN[eye]!, linear(hex)).map((value) => Math.min(1, Math.max(0, value)))
    return oklab([r!, g!, b!])
  })
  const distances = places.flatMap((one, i) =>
    places.slice(0, i).map((other) => 100 * Math.hypot(...one.map((value, k) => value - other[k]!))),
  )
  return Math.min(...distances)
}

function contrast(one: string, other: string): number {
  const [a, b] = [one, other].map((hex) => {
    const [r, g, b] = linear(hex)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05
  })
  return Math.max(a!, b!) / Math.min(a!, b!)
}

describe.each(['series', 'action'])('the twelve colours of %s', (role) => {
  it.each([
    ['light', 0],
    ['dark', 1],
  ] as const)('are apart and stand out, %s', (_, theme) => {
    const hexes = colours(role, theme)
    expect(hexes).toHaveLength(12)
    expect(closest(hexes, 'all')).toBeGreaterThan(10)
    for (const eye of ['no red', 'no green', 'no blue']) expect(closest(hexes, eye), eye).toBeGreaterThan(7)
    for (const hex of hexes) expect(contrast(hex, SURFACES[theme]!), hex).toBeGreaterThan(3)
  })
})
