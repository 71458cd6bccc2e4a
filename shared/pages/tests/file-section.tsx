/**
 * The files of an attempt. Links go through this origin, which redirects to presigned URLs, so the links work while the
 * files exist.
 */
import type { Html } from '#shared/engine/html/html.ts';
import type { Artifact } from '#shared/model/tests/artifact.ts';
import { sizeText } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import type { IconName } from '#shared/pages/design/icons.ts';
import { Panel } from '#shared/pages/design/parts.tsx';
import type { EvidenceLinks } from './evidence-links.ts';

interface Props {
  readonly links: EvidenceLinks;
  readonly files: readonly Artifact[];
}

const hasArrived = ({ bytes }: Artifact): boolean => bytes !== undefined;

/** The traces of the attempt that were uploaded. */
export const tracesIn = (files: readonly Artifact[]): readonly Artifact[] =>
  files.filter((file) => file.type === 'trace' && hasArrived(file));

/**
 * Playwright uses the same prefix for the names of the three pictures of a failed snapshot: `cart-expected.png`,
 * `cart-actual.png`, `cart-diff.png`.
 */
const SNAPSHOT = /^(.{1,200})-(expected|actual|diff)\.png$/;

/** The name of a snapshot, and which of its pictures this file is. `undefined` for other files. */
function partOfSnapshot({ name, fileName }: NamedFile): readonly [name: string, part: string] | undefined {
  const [, snapshot, part] = SNAPSHOT.exec(name) ?? SNAPSHOT.exec(fileName ?? '') ?? [];
  return snapshot === undefined || part === undefined ? undefined : [snapshot, part];
}

interface NamedFile {
  readonly name: string;
  readonly fileName?: string | null | undefined;
}

/**
 * Rates how well a picture shows what happened: 2 for a screenshot of the page, 1 for the actual picture of a snapshot,
 * and 0 for its expected picture and for the picture of the difference.
 */
export const worthOfPicture = (file: NamedFile): 0 | 1 | 2 => {
  const part = partOfSnapshot(file)?.[1];
  if (part === undefined) return 2;
  return part === 'actual' ? 1 : 0;
};

interface Snapshot {
  readonly name: string;
  readonly expected: Artifact;
  readonly actual: Artifact;
  readonly diff: Artifact | undefined;
}

/** The snapshots for which both the expected and the actual picture were uploaded. */
function snapshotsIn(files: readonly Artifact[]): Snapshot[] {
  const named = files.filter(hasArrived).flatMap((file) => {
    const [name, part] = partOfSnapshot(file) ?? [];
    return name === undefined ? [] : [{ name, part, file }];
  });
  return [...Map.groupBy(named, ({ name }) => name)].flatMap(([name, parts]) => {
    const of = (part: string) => parts.find((one) => one.part === part)?.file;
    const [expected, actual] = [of('expected'), of('actual')];
    return expected && actual ? [{ name, expected, actual, diff: of('diff') }] : [];
  });
}

/**
 * Compares the pictures of failed snapshots: side by side, with a slider, or alternating. This works without scripts.
 */
export function Snapshots({ links, files }: Props): Html {
  return (
    <>
      {snapshotsIn(files).map((snapshot, index) => (
        <Panel title="Snapshot" note={snapshot.name} id={`snapshot-${index}`}>
          <SnapshotComparison links={links} snapshot={snapshot} index={index} />
        </Panel>
      ))}
    </>
  );
}

const MODES = [
  { value: 'side', label: 'Side by side' },
  { value: 'slide', label: 'Slider' },
  { value: 'blink', label: 'Blink' },
] as const;

interface ComparisonProps extends Pick<Props, 'links'> {
  readonly snapshot: Snapshot;
  readonly index: number;
}

const SnapshotComparison = ({ links, snapshot, index }: ComparisonProps): Html => (
  <div class="snapshot">
    <fieldset class="segments">
      <legend class="hidden-text">How to compare the pictures</legend>
      {MODES.map(({ value, label }, mode) => (
        <span>
          <input type="radio" id={`${value}-${index}`} name={`mode-${index}`} value={value} checked={mode === 0} />
          <label for={`${value}-${index}`}>{label}</label>
        </span>
      ))}
    </fieldset>
    <div class="pictures">
      {(['expected', 'actual', 'diff'] as const).map((part) => {
        const file = snapshot[part];
        return (
          file && (
            <figure class={`shot ${part}`}>
              <a href={links.file(file)}>
                <img src={links.file(file)} alt={`${snapshot.name}, ${part}`} loading="lazy" />
              </a>
              <figcaption>{part}</figcaption>
            </figure>
          )
        );
      })}
    </div>
  </div>
);

/**
 * The screenshots and videos of the attempt, without the pictures that `Snapshots` compares. Screenshots have size
 * attributes, so that the page does not move while they load.
 */
export function Pictures({ links, files }: Props): Html {
  const shown = withoutSnapshots(files);
  return (
    <>
      {shown
        .filter(({ type }) => type === 'screenshot')
        .map((file) => (
          <figure class="shot">
            <a href={links.file(file)}>
              <img src={links.file(file)} alt={`Screenshot ${file.name}`} width={218} height={136} />
            </a>
            <figcaption>
              <Icon name="camera" size="small" />
              {file.name}
            </figcaption>
          </figure>
        ))}
      {shown
        .filter(({ type }) => type === 'video')
        .map((file) => (
          <figure class="shot">
            {/* biome-ignore lint/a11y/useMediaCaption: recordings of browsers have no sound */}
            <video src={links.file(file)} controls preload="none" width={218} aria-label={`Video ${file.name}`} />
            <figcaption>
              <Icon name="video" size="small" />
              {file.name}
            </figcaption>
          </figure>
        ))}
    </>
  );
}

/** Whether the attempt has screenshots or videos to show beside its error. */
export const hasPictures = (files: readonly Artifact[]): boolean =>
  withoutSnapshots(files).some(({ type }) => type === 'screenshot' || type === 'video');

/** The files that have arrived, without the pictures of compared snapshots, which have a panel of their own. */
function withoutSnapshots(files: readonly Artifact[]): readonly Artifact[] {
  const snapshots = new Set(snapshotsIn(files).flatMap(({ expected, actual, diff }) => [expected, actual, diff]));
  return files.filter((file) => hasArrived(file) && !snapshots.has(file));
}

const ICONS: Partial<Record<Artifact['type'], IconName>> = {
  trace: 'footprints',
  screenshot: 'image',
  video: 'video',
  stdout: 'terminal',
};

export function Files({ links, files }: Props): Html {
  if (files.length === 0) return <span hidden />;
  const [trace] = tracesIn(files);
  return (
    <Panel title="Files" isFlush>
      <ul class="rows">
        {files.map((file) => (
          <li>
            <Icon name={ICONS[file.type] ?? 'file-text'} />
            <span class="grow">{hasArrived(file) ? <a href={links.file(file)}>{file.name}</a> : file.name}</span>
            {file.type === 'trace' && hasArrived(file) && <a href={links.trace(file)}>Open trace</a>}
            <small>{file.bytes === undefined ? 'not uploaded' : sizeText(file.bytes)}</small>
          </li>
        ))}
      </ul>
      {trace && (
        <p class="pad soft">
          You can also download the trace and run <code>npx playwright show-trace {'<file>'}</code>
        </p>
      )}
    </Panel>
  );
}
