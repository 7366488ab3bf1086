// The fast codec: bytes from the body to the file. Nothing it remembers changes what it gives.

import { createBatchReader } from './batch-reader.js'
import { ByteText } from './byte-text.js'
import type { Codec } from './codec.js'
import { createPacker, unpackCommands } from './command-packer.js'
import { createDecisionWriter } from './decision-writer.js'

export function createFastCodec(): Codec {
  const bytes = new ByteText()
  return {
    readBatch: createBatchReader(),
    decisionWriter: (policy) => createDecisionWriter(policy, bytes),
    pack: createPacker(),
    unpack: unpackCommands,
  }
}
