// A study: one claim, one command, one answer. It returns data (tables, curves, verdicts); printing and the HTML report are
// made from that, the same way for every study.

import type { PolicySpec } from '../policies/policy-spec.js'

/** How a study is run. */
export interface StudyOptions {
  /** 'quick' is for a first look in under two minutes; 'full' is what figures are quoted from. */
  readonly scale: 'quick' | 'full'
  /** First seed. */
  readonly seed: number
  readonly workers?: number
  /** Numbers in place of the scale's own, such as rounds and repeats. */
  readonly size?: Readonly<Record<string, number>>
  /** Names of its worlds, where not all are wanted. */
  readonly worlds?: readonly string[]
  /** Policies in place of the study's own, where it compares any: names of the catalogue, or policies as data. */
  readonly policies?: readonly (string | PolicySpec)[]
  /** Share done, 0 to 1. */
  readonly onProgress?: (share: number) => void
}

/** A table of a study. */
export interface StudyTable {
  readonly title: string
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** A curve of a study's plot. */
export interface StudySeries {
  readonly name: string
  readonly points: readonly { readonly x: number; readonly y: number; readonly low?: number; readonly high?: number }[]
  /** A reference line rather than a measurement. */
  readonly dashed?: boolean
}

/** A plot of a study. */
export interface StudyPlot {
  readonly title: string
  readonly xLabel: string
  readonly yLabel: string
  readonly xLog?: boolean
  readonly yLog?: boolean
  /** Axes from the least value rather than from 0. */
  readonly close?: boolean
  readonly series: readonly StudySeries[]
}

/** Whether a claim held, in a sentence. */
export interface Verdict {
  readonly held: boolean
  /** Says what was claimed, what was measured and whether it held. */
  readonly sentence: string
}

/** The figures of one arm of a study in one world with one seed. */
export interface StudyRow {
  readonly world: string
  readonly arm: string
  readonly seed: number
  readonly figures: Readonly<Record<string, number>>
}

/** The result of a study: settings, tables, plots, verdicts. */
export interface StudyResult {
  readonly settings: Readonly<Record<string, string | number>>
  readonly tables: readonly StudyTable[]
  readonly plots: readonly StudyPlot[]
  readonly verdicts: readonly Verdict[]
  /** Said first, in place of how many claims held: a result that puts none to the test, or could not be had. */
  readonly conclusion?: string
  /** The rows behind the tables. */
  readonly rows?: readonly StudyRow[]
}

/** One claim, one command, one answer. */
export interface Study {
  readonly name: string
  readonly title: string
  /** The claim under test, in one sentence. */
  readonly claim: string
  readonly run: (options: StudyOptions) => Promise<StudyResult>
}
