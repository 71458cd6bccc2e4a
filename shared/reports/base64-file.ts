/** An attachment that is embedded in the report as base64. */
import type { FoundFile } from './found.ts';
import { REPORT_LIMITS } from './limits.ts';

export function base64File(of: { readonly name: string; readonly contentType: string }, body: string): FoundFile {
  const bytes = Buffer.from(body, 'base64');
  return { ...fileNames(of), size: bytes.length, held: bytes.length, read: () => once(bytes) };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+(?:;.*)?$/;
const MEDIA_TYPE_CHARACTERS = 256;

/** Returns a valid name and media type for a file. Invalid ones are replaced. */
export const fileNames = ({ name, contentType }: { readonly name: string; readonly contentType: string }) => ({
  name: name.slice(0, REPORT_LIMITS.fileNameCharacters).toWellFormed() || 'attachment',
  contentType:
    contentType.length <= MEDIA_TYPE_CHARACTERS && MEDIA_TYPE.test(contentType)
      ? contentType
      : 'application/octet-stream',
});
