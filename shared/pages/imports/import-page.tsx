/** One import: its state, its files and its warnings. */
import type { Html } from '#shared/engine/html/html.ts';
import type { Import, ImportedFile } from '#shared/model/runs/import.ts';
import { DataTable } from '#shared/pages/design/data-table.tsx';
import { FullTime } from '#shared/pages/design/format.tsx';
import { linkToImports, linkToRun } from '#shared/pages/shell/hrefs.ts';
import { makeLiveAttributes } from '#shared/pages/shell/live.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

interface Props {
  readonly visit: ProjectVisit;
  readonly storedImport: Import;
}

const STATES = {
  waiting: 'is waiting to be recorded',
  recording: 'is being recorded',
  recorded: 'has been recorded',
  refused: 'was refused',
} as const;

export const ImportPage = ({ visit, storedImport }: Props): Html => (
  <>
    <h1>Import</h1>
    <ImportState visit={visit} storedImport={storedImport} />
  </>
);

function ImportState({ visit, storedImport }: Props): Html {
  const { importId, state, runId, problem, ciBuildId, createdAt, progress, files } = storedImport;
  const isOpen = state === 'waiting' || state === 'recording';
  const live = isOpen ? makeLiveAttributes(linkToImports(visit, importId, 'live'), storedImport) : {};
  return (
    <section id="import" {...live}>
      <p role="status">
        The report {STATES[state]}.{' '}
        {runId !== undefined && state !== 'waiting' && (
          <a id="run" href={linkToRun(visit, runId)}>
            Show the run
          </a>
        )}{' '}
        {isOpen && (
          <a id="refresh" href={linkToImports(visit, importId)}>
            Refresh
          </a>
        )}
      </p>
      {problem !== undefined && (
        <p class="notice problem-text" role="alert">
          <strong>The import failed.</strong> {problem}
        </p>
      )}
      <dl>
        <dt>CI build</dt>
        <dd>{ciBuildId ?? 'not known yet'}</dd>
        <dt>Received</dt>
        <dd>
          <FullTime at={createdAt} />
        </dd>
        <dt>Recorded tests</dt>
        <dd>
          {progress.tests} of {progress.ofTests}
        </dd>
      </dl>
      {files.length > 0 && <Files files={files} />}
      {files
        .filter(({ warnings, runErrors }) => warnings.length + runErrors.length > 0)
        .map((file) => (
          <Problems file={file} />
        ))}
    </section>
  );
}

const Files = ({ files }: { readonly files: readonly ImportedFile[] }): Html => (
  <DataTable label="Files" caption="Report files" columns={['File', 'Format', 'Tests', 'Failed', 'Skipped or not run']}>
    {files.map(({ name, format, dialect, tests, truncated }) => (
      <tr>
        <th scope="row">
          {name || 'unnamed'}
          {truncated && ' (truncated)'}
        </th>
        <td>{dialect === null ? format : `${format}, ${dialect}`}</td>
        <td>{tests.overall}</td>
        <td>{tests.failures}</td>
        <td>{tests.skipped + tests.pending}</td>
      </tr>
    ))}
  </DataTable>
);

const Problems = ({ file: { name, warnings, runErrors } }: { readonly file: ImportedFile }): Html => (
  <section>
    <h2>{name === '' ? 'Warnings' : `Warnings for ${name}`}</h2>
    <ul>
      {runErrors.map((message) => (
        <li>
          Error outside the tests: <code>{message}</code>
        </li>
      ))}
      {warnings.map(({ line, message }) => (
        <li>
          {line === null ? '' : `Line ${line}: `}
          {message}
        </li>
      ))}
    </ul>
  </section>
);
