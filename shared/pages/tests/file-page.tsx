/** The page of one file: a large picture or video, or the beginning of a text. The script opens it in a dialog. */

import type { OpenFile } from '#shared/context/open-file.ts';
import type { Html } from '#shared/engine/html/html.ts';
import type { Artifact } from '#shared/model/results/artifact.ts';
import { Ansi } from '#shared/pages/design/ansi.tsx';
import { formatSize } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { getFileKind } from '#shared/results/instances/file-kind.ts';
import type { FileLinks } from './evidence-links.ts';

interface Props {
  readonly links: FileLinks;
  readonly open: OpenFile;
}

interface PageProps extends Props {
  /** The page of the test or of the spec file. */
  readonly back: string;
}

export function FilePage({ links, open, back }: PageProps): Html {
  const { file, siblings } = open;
  return (
    <section id="file" class="panel file" aria-label={file.name}>
      <header>
        <h1>{file.name}</h1>
        <span class="soft">{describeFile(file, siblings)}</span>
        <span class="grow" />
        <Neighbours links={links} open={open} />
        <a class="button quiet small" href={links.download(file)}>
          Download
        </a>
        <a class="button quiet small back" href={back}>
          Back
        </a>
      </header>
      <FileContent links={links} open={open} />
    </section>
  );
}

function describeFile({ attempt, bytes }: Artifact, siblings: readonly Artifact[]): string {
  const hasAttempts = siblings.some((one) => one.attempt !== attempt);
  return [hasAttempts && attempt !== undefined && `attempt ${attempt + 1}`, bytes !== undefined && formatSize(bytes)]
    .filter(Boolean)
    .join(', ');
}

/** The files of all attempts in one row, so that the arrows also lead to the same picture of the next attempt. */
function Neighbours({ links, open: { file, siblings } }: Props): Html {
  const place = siblings.findIndex(({ objectName }) => objectName === file.objectName);
  if (place === -1 || siblings.length < 2) return <></>;
  const [previous, next] = [siblings[place - 1], siblings[place + 1]];
  return (
    <nav class="neighbours" aria-label="Files of this test">
      {previous && (
        <a rel="prev" data-view href={links.view(previous)} title={`Previous: ${previous.name}`}>
          <Icon name="chevron-left" />
          <span class="hidden-text">Previous file: {previous.name}</span>
        </a>
      )}
      <span class="number">
        {place + 1} of {siblings.length}
      </span>
      {next && (
        <a rel="next" data-view href={links.view(next)} title={`Next: ${next.name}`}>
          <Icon name="chevron-right" />
          <span class="hidden-text">Next file: {next.name}</span>
        </a>
      )}
    </nav>
  );
}

function FileContent({ links, open: { file, text, isCut } }: Props): Html {
  switch (getFileKind(file)) {
    case 'picture':
      return (
        <div class="full-size">
          <label class="fit">
            <input type="checkbox" name="natural" /> Natural size
          </label>
          <section class="scroll" tabindex={0} aria-label="Picture">
            <img src={links.file(file)} alt={file.name} />
          </section>
        </div>
      );
    case 'video':
      return (
        <div class="full-size">
          {/* biome-ignore lint/a11y/useMediaCaption: recordings of browsers have no sound */}
          <video src={links.file(file)} controls preload="none" aria-label={`Video ${file.name}`} />
        </div>
      );
    case 'text':
      return text === undefined ? (
        <p class="pad">This file cannot be shown as text. You can download it.</p>
      ) : (
        <>
          <pre class="wrap">
            <Ansi text={text} />
          </pre>
          {isCut && <p class="pad soft">This is the beginning of the file. Download it for the rest.</p>}
        </>
      );
    case 'other':
      return <p class="pad">Browsers must not open files of this type here. You can download it.</p>;
  }
}
