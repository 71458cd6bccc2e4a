/** One import: its state, its files and its warnings. */
import type { Html } from '#shared/engine/html/html.ts';
import type { Import, ImportedFile } from '#shared/model/runs/import.ts';
import { DataTable } from '#shared/pages/design/data-table.tsx';
import { FullTime } from '#shared/pages/design/format.tsx';
import { Fact, PageHead, Panel } from '#shared/pages/design/parts.tsx';
import { linkToImports, linkToRun } from '#shared/pages/shell/hrefs.ts';
import { makeLiveAttributes } from '#shared/pages/shell/live.ts';
import { mayAdd } from '#shared/pages/shell/may-add.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

interface Props {
  readonly visit: ProjectVisit;
  readonly storedImport: Import;
}

const STATES = {
  waiting: 'is waiting to be recorded',
  recording: 'is being recorded',
  recorded: 'has been recorded',
  refused: 'was not imported',
} as const;

export const nameImport = ({ options, state }: Pick<Import, 'options' | 'state'>): string =>
  `${options.name || 'The report'} ${STATES[state]}`;

/** The heading is a part of what is read again, because it says the state. */
export function ImportPage({ visit, storedImport }: Props): Html {
  const { importId, state, runId, problem, files } = storedImport;
  const isOpen = state === 'waiting' || state === 'recording';
  const live = isOpen ? makeLiveAttributes(linkToImports(visit, importId, 'live'), storedImport) : {};
  return (
    <section id="import" {...live}>
      <div role="status">
        <PageHead title={nameImport(storedImport)} />
      </div>
      {problem !== undefined && <Reason problem={problem} />}
      <Panel title="Details">
        <Facts storedImport={storedImport} />
        <div class="actions">
          {state === 'refused' && mayAdd(visit, 'runs:write') && (
            <a class="button" href={linkToImports(visit, 'new')}>
              Import another file
            </a>
          )}
          {runId !== undefined && state !== 'waiting' && (
            <a id="run" class="button quiet" href={linkToRun(visit, runId)}>
              Show the run
            </a>
          )}
          {isOpen && (
            <a id="refresh" class="button quiet" href={linkToImports(visit, importId)}>
              Refresh
            </a>
          )}
        </div>
      </Panel>
      {files.length > 0 && <Files files={files} />}
      {files
        .filter(({ warnings, runErrors }) => warnings.length + runErrors.length > 0)
        .map((file) => (
          <Problems file={file} />
        ))}
    </section>
  );
}

/** The first sentence says why. What else the message says, such as the accepted formats, is folded. */
function Reason({ problem }: { readonly problem: string }): Html {
  const [reason = '', ...rest] = problem.split(/(?<=\.) /);
  return (
    <div class="notice problem-text" role="alert">
      <p>{reason}</p>
      {rest.length > 0 && (
        <details>
          <summary>What can be imported</summary>
          <p>{rest.join(' ')}</p>
        </details>
      )}
    </div>
  );
}

/** A refused report has no build and no tests. */
const Facts = ({ storedImport: { state, ciBuildId, createdAt, progress } }: Pick<Props, 'storedImport'>): Html => (
  <dl class="facts">
    {ciBuildId !== undefined && (
      <Fact name="CI build">
        <code>{ciBuildId}</code>
      </Fact>
    )}
    <Fact name="Received">
      <FullTime at={createdAt} />
    </Fact>
    {(state !== 'refused' || progress.tests > 0) && (
      <Fact name="Recorded tests">
        {progress.tests} of {progress.ofTests}
      </Fact>
    )}
  </dl>
);

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
