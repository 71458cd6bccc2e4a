/**
 * The files of an attempt. Links go through this origin, which redirects to presigned URLs, so the links work while the
 * files exist.
 */
import { FILE_LIMITS } from '#shared/engine/aws/limits.ts';
import type { Html } from '#shared/engine/html/html.ts';
import type { Artifact, UploadRefusal } from '#shared/model/results/artifact.ts';
import { formatCount, formatQuantity, formatSize } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import type { IconName } from '#shared/pages/design/icons.ts';
import { Panel } from '#shared/pages/design/parts.tsx';
import { getFileKind } from '#shared/results/instances/file-kind.ts';
import type { EvidenceLinks, FileLinks } from './evidence-links.ts';

interface FileProps {
  readonly links: FileLinks;
  readonly files: readonly Artifact[];
}

interface Props extends FileProps {
  readonly links: EvidenceLinks;
}

const hasArrived = ({ bytes }: Artifact): boolean => bytes !== undefined;

export const listTraces = (files: readonly Artifact[]): readonly Artifact[] =>
  files.filter((file) => file.type === 'trace' && hasArrived(file));

/**
 * Playwright uses the same prefix for the names of the three pictures of a failed snapshot: `cart-expected.png`,
 * `cart-actual.png`, `cart-diff.png`. Since 1.62, they may be WebP. Our reporter for Vitest gives its pictures such names.
 */
const SNAPSHOT = /^(.{1,200})-(expected|actual|diff)\.(?:png|webp)$/;

/** The name of a snapshot, and which of its pictures this file is. Empty for other files. */
function parseSnapshotName({ name, fileName }: NamedFile): readonly string[] {
  const [, ...parts] = SNAPSHOT.exec(name) ?? SNAPSHOT.exec(fileName ?? '') ?? [];
  return parts;
}

interface NamedFile {
  readonly name: string;
  readonly fileName?: string | null | undefined;
}

export const isDifference = (file: NamedFile): boolean => parseSnapshotName(file)[1] === 'diff';

/** The difference of a snapshot says most, then a screenshot of the page, then the actual picture. Zero for the expected one. */
export const rankPicture = (file: NamedFile): 0 | 1 | 2 | 3 => {
  const [, part] = parseSnapshotName(file);
  if (part === undefined) return 2;
  if (part === 'diff') return 3;
  return part === 'actual' ? 1 : 0;
};

/** Snapshots whose expected and actual pictures were uploaded: the expected one first, and the difference last. */
function groupSnapshots(files: readonly Artifact[]) {
  const snapshotParts = files.filter(hasArrived).flatMap((file) => {
    const [name, part] = parseSnapshotName(file);
    return name === undefined || part === undefined ? [] : [{ name, part, file }];
  });
  return [...Map.groupBy(snapshotParts, ({ name }) => name)].flatMap(([name, parts]) => {
    const of = (part: string) => parts.find((one) => one.part === part);
    const [expectedPicture, actualPicture, diffPicture] = [of('expected'), of('actual'), of('diff')];
    return expectedPicture && actualPicture
      ? [
          {
            name,
            pictures: diffPicture ? [expectedPicture, actualPicture, diffPicture] : [expectedPicture, actualPicture],
          },
        ]
      : [];
  });
}

const MODES = [
  { value: 'side', label: 'Side by side' },
  { value: 'slide', label: 'Slider', needs: 'script' },
  { value: 'overlay', label: 'Overlay' },
  { value: 'difference', label: 'Difference', needs: 'diff' },
  { value: 'blink', label: 'Blink' },
] as const;

interface SnapshotsProps extends FileProps {
  /** How the pictures differ, if the error says it. */
  readonly note: string | undefined;
}

export const Snapshots = ({ links, files, note }: SnapshotsProps): Html => (
  <>
    {groupSnapshots(files).map(({ name, pictures }, index) => (
      <Panel title="Snapshot" note={[name, index === 0 && note].filter(Boolean).join(': ')} id={`snapshot-${index}`}>
        <ComparedPictures
          links={links}
          name={name}
          index={index}
          pictures={pictures.map(({ part, file }) => ({ part, label: part, file }))}
        />
      </Panel>
    ))}
  </>
);

interface ComparedPicturesProps extends Pick<FileProps, 'links'> {
  readonly name: string;
  /** Tells several comparisons of a page apart. */
  readonly index: number;
  /** The expected picture, the actual one, and perhaps their difference. */
  readonly pictures: readonly { readonly part: string; readonly label: string; readonly file: Artifact }[];
}

/**
 * Compares two pictures: side by side, with a slider, one over the other, alternating, or by their difference. All but
 * the slider work without scripts.
 */
export const ComparedPictures = ({ links, name, index, pictures }: ComparedPicturesProps): Html => (
  <div class="snapshot">
    <div class="row">
      <Modes index={index} hasDiff={pictures.length > 2} />
      <label class="fit">
        <input type="checkbox" name={`natural-${index}`} /> 100 %
      </label>
    </div>
    <section class="pictures" tabindex={0} aria-label={`Pictures of ${name}`}>
      {pictures.map(({ part, label, file }) => (
        <figure class={`shot ${part}`}>
          <a href={links.view(file)} data-view>
            <img src={links.file(file)} alt={`${name}, ${label}`} />
          </a>
          <figcaption>{label}</figcaption>
        </figure>
      ))}
      <input
        type="range"
        class="split"
        name={`split-${index}`}
        min={0}
        max={100}
        value="50"
        aria-label="Where the one picture ends and the other begins"
      />
    </section>
  </div>
);

const Modes = ({ index, hasDiff }: { readonly index: number; readonly hasDiff: boolean }): Html => (
  <fieldset class="segments">
    <legend class="hidden-text">How to compare the pictures</legend>
    {MODES.filter((mode) => hasDiff || !('needs' in mode) || mode.needs !== 'diff').map((mode, place) => (
      <span hidden={'needs' in mode && mode.needs === 'script'}>
        <input
          type="radio"
          id={`${mode.value}-${index}`}
          name={`mode-${index}`}
          value={mode.value}
          checked={place === 0}
        />
        <label for={`${mode.value}-${index}`}>{mode.label}</label>
      </span>
    ))}
  </fieldset>
);

/** Screenshots before videos, without the pictures of compared snapshots, which have a panel of their own. */
export function listPictures(files: readonly Artifact[]): readonly Artifact[] {
  const snapshotFiles = new Set(groupSnapshots(files).flatMap(({ pictures }) => pictures.map(({ file }) => file)));
  const visibleFiles = files.filter((file) => hasArrived(file) && !snapshotFiles.has(file));
  return [
    ...visibleFiles.filter(({ type }) => type === 'screenshot'),
    ...visibleFiles.filter(({ type }) => type === 'video'),
  ];
}

/** Screenshots have size attributes, so that the page does not move while they load. */
export const Pictures = ({ links, files }: FileProps): Html => (
  <>
    {files.map((file) => (
      <figure class="shot">
        {file.type === 'screenshot' ? (
          <a href={links.view(file)} data-view>
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

/** After this time, the link for the upload no longer works. */
const ARRIVING_MILLISECONDS = FILE_LIMITS.uploadUrlSeconds * 1000;

function explainMissingFile({ refused, createdAt }: Artifact, now: number): string {
  if (refused) return REFUSALS[refused];
  return now - createdAt < ARRIVING_MILLISECONDS
    ? 'arriving'
    : 'not uploaded: the client announced it, and sent nothing';
}

const ICONS: Partial<Record<Artifact['type'], IconName>> = {
  trace: 'footprints',
  screenshot: 'image',
  video: 'video',
  stdout: 'terminal',
};

/** Further files are behind a disclosure, so that a test with hundreds of files stays readable. */
const OPEN_FILES = 20;

interface FilesProps extends Props {
  readonly now: number;
}

export function Files({ links, files, now }: FilesProps): Html {
  if (files.length === 0) return <span hidden />;
  const [trace] = listTraces(files);
  const rest = files.slice(OPEN_FILES);
  return (
    <Panel title="Files" note={files.length > OPEN_FILES && formatCount(files.length)} id="files" isFlush>
      <FileRows links={links} files={files.slice(0, OPEN_FILES)} now={now} />
      {rest.length > 0 && (
        <details class="rest">
          <summary>Show {formatQuantity(rest.length, 'more file')}</summary>
          <FileRows links={links} files={rest} now={now} />
        </details>
      )}
      {trace && (
        <p class="pad soft">
          You can also download the trace and run <code>npx playwright show-trace {'<file>'}</code>
        </p>
      )}
    </Panel>
  );
}

const FileRows = ({ links, files, now }: FilesProps): Html => (
  <ul class="rows">
    {files.map((file) => (
      <li>
        <Icon name={ICONS[file.type] ?? 'file-text'} />
        <span class="grow">{hasArrived(file) ? <FileLink links={links} file={file} /> : file.name}</span>
        {file.type === 'trace' && hasArrived(file) && <a href={links.trace(file)}>Open trace</a>}
        <small>{file.bytes === undefined ? explainMissingFile(file, now) : formatSize(file.bytes)}</small>
      </li>
    ))}
  </ul>
);

const FileLink = ({ links, file }: Pick<Props, 'links'> & { readonly file: Artifact }): Html =>
  getFileKind(file) === 'other' ? (
    <a href={links.download(file)}>{file.name}</a>
  ) : (
    <a href={links.view(file)} data-view>
      {file.name}
    </a>
  );
