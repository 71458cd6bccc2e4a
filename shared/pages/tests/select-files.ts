/** Which files of an attempt the pages show as what: traces, snapshots that people compare, and other pictures. */
import type { Artifact } from '#shared/model/results/artifact.ts';

export const hasArrived = ({ bytes }: Artifact): boolean => bytes !== undefined;

/**
 * Playwright uses the same prefix for the names of the three pictures of a failed snapshot: `cart-expected.png`,
 * `cart-actual.png`, `cart-diff.png`. Since 1.62, they may be WebP. Our reporter for Vitest gives its pictures such names.
 */
const SNAPSHOT = /^(.{1,200})-(expected|actual|diff)\.(?:png|webp)$/;

interface NamedFile {
  readonly name: string;
  readonly fileName?: string | null | undefined;
}

interface SnapshotName {
  readonly name: string;
  readonly part: 'expected' | 'actual' | 'diff';
}

/** The name of the snapshot, and which of its pictures this file is. `undefined` for other files. */
function parseSnapshotName({ name: fileLabel, fileName }: NamedFile): SnapshotName | undefined {
  const [, name, part] = SNAPSHOT.exec(fileLabel) ?? SNAPSHOT.exec(fileName ?? '') ?? [];
  if (name === undefined) return undefined;
  if (part === 'expected' || part === 'actual') return { name, part };
  return { name, part: 'diff' };
}

export const isDifference = (file: NamedFile): boolean => parseSnapshotName(file)?.part === 'diff';

const RANKS = { expected: 0, actual: 1, diff: 3 } as const;
const RANK_OF_SCREENSHOT = 2;

/** The difference of a snapshot says most, then a screenshot of the page, then the actual picture. Zero for the expected one. */
export function rankPicture(file: NamedFile): number {
  const snapshot = parseSnapshotName(file);
  return snapshot ? RANKS[snapshot.part] : RANK_OF_SCREENSHOT;
}

interface SnapshotPicture extends SnapshotName {
  readonly file: Artifact;
}

interface Snapshot {
  readonly name: string;
  /** The expected picture, the actual one, and perhaps their difference. */
  readonly pictures: readonly SnapshotPicture[];
}

/** The snapshots whose expected and actual pictures were uploaded, so that people can compare them. */
export function groupSnapshots(files: readonly Artifact[]): Snapshot[] {
  const snapshotPictures = files.filter(hasArrived).flatMap((file): SnapshotPicture[] => {
    const snapshot = parseSnapshotName(file);
    return snapshot ? [{ ...snapshot, file }] : [];
  });
  return [...Map.groupBy(snapshotPictures, ({ name }) => name)].flatMap(([name, pictures]): Snapshot[] => {
    const expectedPicture = pictures.find(({ part }) => part === 'expected');
    const actualPicture = pictures.find(({ part }) => part === 'actual');
    const difference = pictures.find(({ part }) => part === 'diff');
    if (!expectedPicture || !actualPicture) return [];
    return [{ name, pictures: [expectedPicture, actualPicture, ...(difference ? [difference] : [])] }];
  });
}

export const listTraces = (files: readonly Artifact[]): readonly Artifact[] =>
  files.filter((file) => file.type === 'trace' && hasArrived(file));

/** Screenshots before videos, without the pictures of compared snapshots, which have a panel of their own. */
export function listPictures(files: readonly Artifact[]): readonly Artifact[] {
  const snapshotFiles = new Set(groupSnapshots(files).flatMap(({ pictures }) => pictures.map(({ file }) => file)));
  const visibleFiles = files.filter((file) => hasArrived(file) && !snapshotFiles.has(file));
  return [
    ...visibleFiles.filter(({ type }) => type === 'screenshot'),
    ...visibleFiles.filter(({ type }) => type === 'video'),
  ];
}
