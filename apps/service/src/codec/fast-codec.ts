// The fast codec: bytes from the body to the file. Nothing it remembers changes what it gives.

import { createBatchReader } from './batch-reader.js'
import { ByteText, COMMA } from './byte-text.js'
import type { Codec } from './codec.js'
import { createPacker, unpackCommands } from './command-packer.js'
import { createDecisionWriter } from './decision-writer.js'

export function createFastCodec(): Codec {
  const bytes = new ByteText()
  return {
    readBatch: createBatchReader(),
    decisionWriter: (policy) => createDecisionWriter(policy, bytes),
    listResults: (results) => {
      bytes.begin()
      bytes.text('{"results":[')
      results.forEach((result, k) => {
        if (k > 0) bytes.piece(COMMA)
        bytes.copy(result)
      })
      bytes.text(']}')
      return bytes.take()
    },
    release: (texts) => {
      for (const text of texts) bytes.release(text)
    },
    pack: createPacker(),
    unpack: unpackCommands,
  }
}
