/**
 * The files of an attempt. Links go through this origin, which redirects to presigned URLs, so the links work while the
 * files exist.
 */
import type { Html } from '#shared/engine/html/html.ts';
import type { Artifact, UploadRefusal } from '#shared/model/tests/artifact.ts';
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
 * `cart-actual.png`, `cart-diff.png`. Since 1.62, they may be WebP. Our reporter for Vitest gives its pictures such names.
 */
const SNAPSHOT = /^(.{1,200})-(expected|actual|diff)\.(?:png|webp)$/;

/** The name of a snapshot, and which of its pictures this file is. Empty for other files. */
function partOfSnapshot({ name, fileName }: NamedFile): readonly string[] {
  const [, ...parts] = SNAPSHOT.exec(name) ?? SNAPSHOT.exec(fileName ?? '') ?? [];
  return parts;
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
  const [, part] = partOfSnapshot(file);
  if (part === undefined) return 2;
  return part === 'actual' ? 1 : 0;
};

/**
 * The snapshots for which both the expected and the actual picture were uploaded, with the expected picture first, then
 * the actual one, and then the difference, if it was uploaded.
 */
function snapshotsIn(files: readonly Artifact[]) {
  const named = files.filter(hasArrived).flatMap((file) => {
    const [name, part] = partOfSnapshot(file);
    return name === undefined || part === undefined ? [] : [{ name, part, file }];
  });
  return [...Map.groupBy(named, ({ name }) => name)].flatMap(([name, parts]) => {
    const of = (part: string) => parts.find((one) => one.part === part);
    const [expected, actual, diff] = [of('expected'), of('actual'), of('diff')];
    return expected && actual ? [{ name, pictures: diff ? [expected, actual, diff] : [expected, actual] }] : [];
  });
}

const MODES = [
  { value: 'side', label: 'Side by side' },
  { value: 'slide', label: 'Slider' },
  { value: 'blink', label: 'Blink' },
] as const;

/** Compares the pictures of failed snapshots: side by side, with a slider, or alternating. This works without scripts. */
export const Snapshots = ({ links, files }: Props): Html => (
  <>
    {snapshotsIn(files).map(({ name, pictures }, index) => (
      <Panel title="Snapshot" note={name} id={`snapshot-${index}`}>
        <div class="snapshot">
          <fieldset class="segments">
            <legend class="hidden-text">How to compare the pictures</legend>
            {MODES.map(({ value, label }, mode) => (
              <span>
                <input
                  type="radio"
                  id={`${value}-${index}`}
                  name={`mode-${index}`}
                  value={value}
                  checked={mode === 0}
                />
                <label for={`${value}-${index}`}>{label}</label>
              </span>
            ))}
          </fieldset>
          <div class="pictures">
            {pictures.map(({ part, file }) => (
              <figure class={`shot ${part}`}>
                <a href={links.file(file)}>
                  <img src={links.file(file)} alt={`${name}, ${part}`} loading="lazy" />
                </a>
                <figcaption>{part}</figcaption>
              </figure>
            ))}
          </div>
        </div>
      </Panel>
    ))}
  </>
);

/**
 * The screenshots of the attempt, and then its videos. The pictures of compared snapshots are left out, because they
 * have a panel of their own.
 */
export function picturesIn(files: readonly Artifact[]): readonly Artifact[] {
  const compared = new Set(snapshotsIn(files).flatMap(({ pictures }) => pictures.map(({ file }) => file)));
  const shown = files.filter((file) => hasArrived(file) && !compared.has(file));
  return [...shown.filter(({ type }) => type === 'screenshot'), ...shown.filter(({ type }) => type === 'video')];
}

/** Shows what `picturesIn` returns. Screenshots have size attributes, so that the page does not move while they load. */
export const Pictures = ({ links, files }: Props): Html => (
  <>
    {files.map((file) => (
      <figure class="shot">
        {file.type === 'screenshot' ? (
          <a href={links.file(file)}>
            <img src={links.file(file)} alt={`Screenshot ${file.name}`} width={218} height={136} />
          </a>
        ) : (
          // biome-ignore lint/a11y/useMediaCaption: recordings of browsers have no sound
          <video src={links.file(file)} controls preload="none" width={218} aria-label={`Video ${file.name}`} />
        )}
        <figcaption>
          <Icon name={file.type === 'screenshot' ? 'camera' : 'video'} size="small" />
          {file.name}
        </figcaption>
      </figure>
    ))}
  </>
);

const REFUSALS: Readonly<Record<UploadRefusal, string>> = {
  tooLarge: 'removed: larger than announced or allowed',
  otherType: 'removed: not of the announced type',
  storageFull: 'removed: the storage is full',
};

const missingText = ({ refused }: Artifact): string => (refused ? REFUSALS[refused] : 'not uploaded');

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
            <small>{file.bytes === undefined ? missingText(file) : sizeText(file.bytes)}</small>
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
