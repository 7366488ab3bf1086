// Rounds in a file, block by block as core keeps them in memory, so that any block can be read without the others: a page of
// 4,096 bytes with the header as JSON, then blocks of one size. Holds what a reward fit reads: contexts, covariates as the
// decisions used them, rewards, actions, which covariates were observed, and the status of the round.

import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { BLOCK_ROUNDS, PrimoError, type RoundBlock, type TableShape } from '@primo/core'

const PAGE = 4096

export interface BlockFileHeader {
  readonly format: 1
  readonly kind: 'round-blocks'
  readonly rounds: number
  readonly actionCount: number
  readonly shape: Pick<TableShape, 'contextWidth' | 'covariateWidth' | 'covariateCount'>
}

/** The blocks are written as they come; each must be whole in memory only while it is written. */
export function writeBlockFile(path: string, header: BlockFileHeader, blocks: Iterable<RoundBlock>): void {
  const file = openSync(path, 'w')
  try {
    writeSync(file, Buffer.from(JSON.stringify(header).padEnd(PAGE)))
    for (const block of blocks) {
      for (const column of columnsOf(block)) writeSync(file, column)
    }
  } finally {
    closeSync(file)
  }
}

/** In this order; wide numbers first, so that all of them lie at multiples of their size. */
function columnsOf({ context, covariates, reward, action, observed, status }: RoundBlock) {
  return [context, covariates, reward, action, observed, status]
}

export interface BlockFile {
  readonly header: BlockFileHeader
  /** Valid until the next one is read. */
  readonly read: (index: number) => RoundBlock
  readonly close: () => void
}

export function openBlockFile(path: string): BlockFile {
  const file = openSync(path, 'r')
  const page = Buffer.alloc(PAGE)
  readSync(file, page, 0, PAGE, 0)
  const header = headerOf(path, page.toString('utf8'))
  const { contextWidth: p, covariateWidth: m, covariateCount: c } = header.shape
  const size = BLOCK_ROUNDS * (8 * (p + m + 1) + 2 + c + 1)
  const bytes = new Uint8Array(size)
  let at = 0
  const take = <T>(make: (buffer: ArrayBuffer, at: number, length: number) => T, width: number, each: number): T => {
    const view = make(bytes.buffer, at, BLOCK_ROUNDS * width)
    at += BLOCK_ROUNDS * width * each
    return view
  }
  const doubles = (width: number) => take((buffer, from, length) => new Float64Array(buffer, from, length), width, 8)
  const flags = (width: number) => take((buffer, from, length) => new Uint8Array(buffer, from, length), width, 1)
  const columns = {
    context: doubles(p),
    covariates: doubles(m),
    reward: doubles(1),
    action: take((buffer, from, length) => new Uint16Array(buffer, from, length), 1, 2),
    observed: flags(c),
    status: flags(1),
  }
  const unused = new Float64Array(0)
  return {
    header,
    read: (index) => {
      const got = readSync(file, bytes, 0, size, PAGE + index * size)
      if (got !== size) {
        throw new PrimoError('invalid-option', `block ${index} of "${path}" must have ${size} bytes, got ${got}`, {
          value: path,
        })
      }
      return {
        index,
        ...columns,
        pretrained: unused,
        propensity: unused,
        arrivals: new Uint16Array(0),
        members: null,
        modelSd: null,
        reasons: null,
        revealed: null,
      }
    },
    close: () => closeSync(file),
  }
}

function headerOf(path: string, text: string): BlockFileHeader {
  try {
    const header = JSON.parse(text) as BlockFileHeader
    if (header.kind === 'round-blocks' && header.format === 1) return header
  } catch {
    // Said below.
  }
  throw new PrimoError(
    'invalid-option',
    `a file of round blocks of format 1 must begin with its header, got "${path}"`,
    {
      value: path,
    },
  )
}
