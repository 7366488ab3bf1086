// Values in PostgreSQL's binary format, for COPY and for arrays as parameters: bytes of records go as they are, nothing is escaped.

export type Cell = string | Uint8Array | number | boolean | null

/** Types of columns that are written here, and their numbers in PostgreSQL. */
const OIDS = { boolean: 16, bigint: 20, int: 23, text: 25, 'double precision': 701 } as const

export type CellType = keyof typeof OIDS

export type Column<Row> = readonly [name: string, type: CellType, cell: (row: Row) => Cell]

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1')
const NULL = -1
const END = -1

/** Bytes written one after the other into room that is enough. */
class Bytes {
  readonly #buffer: Buffer
  #at = 0

  constructor(room: number) {
    this.#buffer = Buffer.allocUnsafeSlow(room)
  }

  #room(more: number): number {
    this.#at += more
    return this.#at - more
  }

  bytes(given: Uint8Array): void {
    const at = this.#room(given.length)
    this.#buffer.set(given, at)
  }

  int16(value: number): void {
    const at = this.#room(2)
    this.#buffer.writeInt16BE(value, at)
  }

  int32(value: number): void {
    const at = this.#room(4)
    this.#buffer.writeInt32BE(value, at)
  }

  /** A cell and, before it, its length. */
  cell(type: CellType, cell: Cell): void {
    if (cell === null) this.int32(NULL)
    else if (type === 'text') this.#text(cell as string | Uint8Array)
    else if (type === 'boolean') {
      this.int32(1)
      const at = this.#room(1)
      this.#buffer[at] = cell ? 1 : 0
    } else if (type === 'int') {
      this.int32(4)
      this.int32(cell as number)
    } else {
      this.int32(8)
      const at = this.#room(8)
      if (type === 'double precision') this.#buffer.writeDoubleBE(cell as number, at)
      else {
        this.#buffer.writeInt32BE(Math.floor((cell as number) / 2 ** 32), at)
        this.#buffer.writeUInt32BE((cell as number) >>> 0, at + 4)
      }
    }
  }

  #text(text: string | Uint8Array): void {
    if (typeof text !== 'string') {
      this.int32(text.length)
      this.bytes(text)
      return
    }
    const at = this.#room(4 + 3 * text.length)
    const length = this.#buffer.write(text, at + 4)
    this.#buffer.writeInt32BE(length, at)
    this.#at = at + 4 + length
  }

  taken(): Buffer {
    return this.#buffer.subarray(0, this.#at)
  }
}

/** Bytes that the columns of rows take at most. */
function roomFor<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): number {
  let room = rows.length * (2 + 12 * columns.length)
  for (const [, type, cell] of columns) {
    if (type !== 'text') continue
    for (const row of rows) {
      const text = cell(row) as string | Uint8Array | null
      if (text !== null) room += typeof text === 'string' ? 3 * text.length : text.length
    }
  }
  return room
}

/** Rows as the whole stream of a COPY. */
export function copyBytes<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): Buffer {
  const out = new Bytes(SIGNATURE.length + 10 + roomFor(rows, columns))
  out.bytes(SIGNATURE)
  // No flags, no more header.
  out.int32(0)
  out.int32(0)
  for (const row of rows) {
    out.int16(columns.length)
    for (const [, type, cell] of columns) out.cell(type, cell(row))
  }
  out.int16(END)
  return out.taken()
}

/** One column of rows as an array. */
export function arrayBytes<Row>(rows: readonly Row[], column: Column<Row>): Buffer {
  const [, type, cell] = column
  const out = new Bytes(20 + roomFor(rows, [column]))
  // One dimension, perhaps with nulls, from 1 on.
  for (const head of [1, 1, OIDS[type], rows.length, 1]) out.int32(head)
  for (const row of rows) out.cell(type, cell(row))
  return out.taken()
}
