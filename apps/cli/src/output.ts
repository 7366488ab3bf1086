// How commands end and speak: results on stdout, everything else on stderr; errors in one sentence.

import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { PrimoError } from '@primo/numeric'
import { type Command, CommanderError } from 'commander'

/** The command was called wrongly: exit code 2. */
export class UsageError extends Error {}

/** `command` is the one that failed. */
export function fail(error: unknown, command?: Command): void {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : 2
    return
  }
  const usage = error instanceof UsageError || (error instanceof PrimoError && USAGE_CODES.has(error.code))
  const message =
    error instanceof PrimoError ? inFlags(error, command) : error instanceof Error ? error.message : String(error)
  process.stderr.write(`primo: ${message}\n`)
  if (!usage && process.env.PRIMO_DEBUG !== undefined && error instanceof Error)
    process.stderr.write(`${error.stack}\n`)
  process.exitCode = usage ? 2 : 1
}

const FLAG_OF: Readonly<Record<string, string>> = { scenarios: '--scenario', folder: '--out' }

/** Libraries name their options; a command names the flags they were set with. */
function inFlags({ message, facts }: PrimoError, command: Command | undefined): string {
  const field = String(facts.field)
  const flag = FLAG_OF[field] ?? `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
  const known = command?.options.some(({ long }) => long === flag) === true
  if (!known || !message.startsWith(`${field} `)) return message
  return `${flag}${message.slice(field.length)}`.replace(/set fresh$/, 'add --fresh')
}

const USAGE_CODES = new Set<string>(['invalid-option', 'invalid-request', 'invalid-problem'])

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}

export function print(text = ''): void {
  process.stdout.write(`${text}\n`)
}

/** A whole number from a flag. */
export function wholeNumber(flag: string, least: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (text.trim() === '' || !Number.isSafeInteger(value) || value < least) {
      throw new UsageError(`${flag} must be a whole number >= ${least}, got "${text}"`)
    }
    return value
  }
}

export function realNumber(flag: string): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (text.trim() === '' || !Number.isFinite(value)) throw new UsageError(`${flag} must be a number, got "${text}"`)
    return value
  }
}

/** Comma-separated names. */
export function names(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

/** Makes a folder before the work is done that is to be kept there. */
export function makeFolder(flag: string, path: string): void {
  try {
    mkdirSync(path, { recursive: true })
  } catch (error) {
    throw new UsageError(`${flag} must be a folder that can be written to, got "${path}": ${(error as Error).message}`)
  }
}

/** Refuses a file whose folder is missing, before the work is done that is to be written there. */
export function checkFolder(flag: string, file: string | undefined): void {
  if (file === undefined || existsSync(dirname(file))) return
  const hint = `make it first (mkdir -p ${dirname(file)})`
  throw new UsageError(`${flag} must be in a folder that exists, got "${file}": ${hint}`)
}
