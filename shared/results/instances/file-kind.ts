/**
 * How pages show files, and in which order. Clients may send any content type, so a file opens in the browser only as one
 * of few types, which cannot run scripts. HTML, SVG and XML are never among them.
 */
import { INLINE_TYPES, type InlineType } from '#shared/engine/aws/artifacts.ts';
import type { Artifact } from '#shared/model/results/artifact.ts';
import { compareTexts } from '../contains.ts';

type FileKind = 'picture' | 'video' | 'text' | 'other';

/** Files of these types are read by a page, which escapes them. */
const TEXT_TYPES: ReadonlySet<string> = new Set([
  'text/plain',
  'text/markdown',
  'text/csv',
  'text/yaml',
  'text/x-log',
  'application/json',
  'application/x-ndjson',
  'application/yaml',
]);

/** The type without its parameters, such as `charset`. */
const getEssence = ({ contentType }: Pick<Artifact, 'contentType'>): string =>
  (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();

/** The type with which the file opens in the browser. `undefined` if it can only be downloaded or read by a page. */
export const findInlineType = (file: Pick<Artifact, 'contentType'>): InlineType | undefined =>
  INLINE_TYPES.find((type) => type === getEssence(file));

export function getFileKind(file: Pick<Artifact, 'contentType'>): FileKind {
  const type = findInlineType(file);
  if (type !== undefined) return type.startsWith('video/') ? 'video' : 'picture';
  return TEXT_TYPES.has(getEssence(file)) ? 'text' : 'other';
}

const NAMES = new Intl.Collator('en', { numeric: true });

/** By attempt, then in the order in which the files were attached. Numbers in names of equal rank count as numbers. */
export const sortByAttachment = <File extends Artifact>(files: readonly File[]): File[] =>
  files.toSorted(
    (one, other) =>
      (one.attempt ?? 0) - (other.attempt ?? 0) ||
      one.createdAt - other.createdAt ||
      (one.place ?? 0) - (other.place ?? 0) ||
      NAMES.compare(one.name, other.name) ||
      compareTexts(one.objectName, other.objectName),
  );
