/** The traces of an attempt, each with three ways to open it. */
import type { Html } from '#shared/engine/html/html.ts';
import type { Artifact } from '#shared/model/tests/artifact.ts';
import { sizeText } from '#shared/pages/design/format.tsx';
import { fileHref } from '#shared/pages/shell/hrefs.ts';
import { traceHref } from '#shared/pages/shell/trace-viewer.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

interface Props {
  readonly visit: ProjectVisit;
  readonly files: readonly Artifact[];
}

export function Traces({ visit, files }: Props): Html {
  const traces = files.filter(({ type, bytes }) => type === 'trace' && bytes !== undefined);
  if (traces.length === 0) return <span hidden />;
  return (
    <section aria-labelledby="trace">
      <h2 id="trace">Trace</h2>
      {traces.map((file) => (
        <Trace visit={visit} file={file} />
      ))}
    </section>
  );
}

const Trace = ({ visit, file }: { readonly visit: ProjectVisit; readonly file: Artifact }): Html => (
  <>
    <p class="actions">
      <a class="button" href={traceHref(visit, file.instanceId, file.objectName)}>
        Open trace
      </a>
      <a href={fileHref(visit, file.instanceId, file.objectName)}>Download</a>
      <span class="soft">
        {file.name}, {sizeText(file.bytes ?? 0)}
      </span>
    </p>
    <p class="soft">
      Or download it and run <code>npx playwright show-trace {'<file>'}</code>
    </p>
  </>
);
