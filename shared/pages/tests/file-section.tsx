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
import { hasArrived, listTraces } from './select-files.ts';

interface PicturesProps {
  readonly links: FileLinks;
  readonly files: readonly Artifact[];
}

/** Screenshots have size attributes, so that the page does not move while they load. */
export const Pictures = ({ links, files }: PicturesProps): Html => (
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

interface FilesProps {
  readonly links: EvidenceLinks;
  readonly files: readonly Artifact[];
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

const FileLink = ({ links, file }: { readonly links: FileLinks; readonly file: Artifact }): Html =>
  getFileKind(file) === 'other' ? (
    <a href={links.download(file)}>{file.name}</a>
  ) : (
    <a href={links.view(file)} data-view>
      {file.name}
    </a>
  );
