/** The files of an attempt. Links go through this origin, which redirects to presigned URLs, so they never expire. */
import type { Html } from '#shared/engine/html/html.ts';
import type { Artifact } from '#shared/model/tests/artifact.ts';
import { sizeText } from '#shared/pages/design/format.tsx';
import { fileHref } from '#shared/pages/shell/hrefs.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

interface Props {
  readonly visit: ProjectVisit;
  readonly files: readonly Artifact[];
}

const hrefOf = (visit: ProjectVisit, file: Artifact): string => fileHref(visit, file.instanceId, file.objectName);

export function Pictures({ visit, files }: Props): Html {
  const pictures = files.filter(({ type, bytes }) => type === 'screenshot' && bytes !== undefined);
  const videos = files.filter(({ type, bytes }) => type === 'video' && bytes !== undefined);
  if (pictures.length + videos.length === 0) return <span hidden />;
  return (
    <section aria-labelledby="page">
      <h2 id="page">Screenshots and videos</h2>
      {pictures.map((file) => (
        <p>
          <a href={hrefOf(visit, file)}>
            <img class="shot" src={hrefOf(visit, file)} alt={`Screenshot ${file.name}`} loading="lazy" width={640} />
          </a>
        </p>
      ))}
      {videos.map((file) => (
        // biome-ignore lint/a11y/useMediaCaption: recordings of browsers have no sound
        <video src={hrefOf(visit, file)} controls preload="none" width={640} aria-label={`Video ${file.name}`} />
      ))}
    </section>
  );
}

export function Files({ visit, files }: Props): Html {
  if (files.length === 0) return <span hidden />;
  return (
    <section class="scroll" tabindex={0} aria-label="Files">
      <h2 id="files">Files</h2>
      <table>
        <caption>Recorded files of this attempt</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Kind</th>
            <th scope="col" class="number">
              Size
            </th>
          </tr>
        </thead>
        <tbody>
          {files.map((file) => (
            <tr>
              <th scope="row">
                {file.bytes === undefined ? file.name : <a href={hrefOf(visit, file)}>{file.name}</a>}
              </th>
              <td>{file.type}</td>
              <td class="number">{file.bytes === undefined ? 'not uploaded' : sizeText(file.bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
