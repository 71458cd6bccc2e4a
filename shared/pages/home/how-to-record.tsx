/**
 * Instructions for new projects: the commands that record or import the results of each framework, with the ids and
 * addresses of the project filled in.
 */

import { may } from '#shared/access/may.ts';
import type { Child, Html } from '#shared/engine/html/html.ts';
import { Alternatives, Copied, GroupHead, Notice, Panel } from '#shared/pages/design/parts.tsx';
import { ImportForm, importLines } from '#shared/pages/imports/new-import-page.tsx';
import { connectAgentHref, organizationPageHref, withQuery } from '#shared/pages/shell/hrefs.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

/** The commands that set the environment variables of the published Playwright reporter. */
const variables = (origin: string, projectId: string, key: string): string =>
  [
    `export CURRENTS_API_URL=${origin}`,
    `export CURRENTS_PROJECT_ID=${projectId}`,
    `export CURRENTS_RECORD_KEY=${key}`,
  ].join('\n');
const RECORD = 'npx playwright test --reporter=@currents/playwright';

/**
 * The commands that record results with the published Playwright reporter. `key` is the value of the API key, which is
 * known only right after the key was created.
 */
export const reporterLines = (origin: string, projectId: string, key: string): string =>
  `${variables(origin, projectId, key)}\n${RECORD}`;

interface Framework {
  readonly name: string;
  readonly note: string;
  /** The command that writes the report. Absent if results are recorded live. */
  readonly report?: string;
}

const FRAMEWORKS: readonly Framework[] = [
  { name: 'Playwright', note: 'live, with traces and screenshots' },
  {
    name: 'Vitest',
    note: 'built in',
    report: 'npx vitest run --reporter=default --reporter=junit --outputFile=report.xml',
  },
  {
    name: 'Jest',
    note: 'with jest-junit',
    report: 'JEST_JUNIT_OUTPUT_FILE=report.xml npx jest --reporters=default --reporters=jest-junit',
  },
  { name: 'pytest', note: 'built in', report: 'pytest --junitxml=report.xml' },
  {
    name: 'Other',
    note: 'JUnit XML, CTRF and more',
    report:
      '# Run your tests so that they write a JUnit XML report to report.xml (CTRF and Playwright reports work too)',
  },
];

interface Props {
  readonly visit: ProjectVisit;
  readonly origin: string;
}

export const HowToRecord = ({ visit, origin }: Props): Html => (
  <div class="columns">
    <div>
      <GroupHead title="Send the first results" note="Runs appear here as soon as they start." />
      <RecordingLines visit={visit} origin={origin} />
      <Notice>
        <strong>Waiting for the first result.</strong> Reload this page after your tests have started.
      </Notice>
    </div>
    <aside class="stack" aria-label="Other ways to start">
      {may(visit.person, 'runs:write') && (
        <Panel title="Import a report" note="from any framework">
          <ImportForm visit={visit} refused={undefined} />
        </Panel>
      )}
      <Panel title="Let an agent explain failures">
        <p>
          <a href={connectAgentHref(visit)}>Connect an agent</a>, which can then explain why tests fail.
        </p>
      </Panel>
    </aside>
  </div>
);

/** Lets the person choose a framework, and shows the commands for it. */
export const RecordingLines = ({ visit, origin }: Props): Html => (
  <Alternatives
    legend="What runs your tests?"
    name="framework"
    alternatives={FRAMEWORKS.map(({ report, ...framework }) => ({
      ...framework,
      content: (
        <ol class="panel numbered">
          {report === undefined ? (
            <>
              <Step title="Add the reporter" code="npm install --save-dev @currents/playwright" />
              <Step
                title="Set where the results go"
                code={variables(origin, visit.projectId, '<record key>')}
                note={<KeyNote visit={visit} name="record key" />}
              />
              <Step title="Run your tests" code={RECORD} />
            </>
          ) : (
            <>
              <Step title="Run your tests, and write a report" code={report} />
              <Step
                title="Send the report, even if tests failed"
                code={importLines(origin, visit.projectId)}
                note={<KeyNote visit={visit} name="API key" />}
              />
            </>
          )}
        </ol>
      ),
    }))}
  />
);

const Step = ({
  title,
  code,
  note,
}: {
  readonly title: string;
  readonly code: string;
  readonly note?: Child;
}): Html => (
  <li>
    <b>{title}</b>
    <div class="copied">
      <pre class="wrap">{code}</pre>
      <Copied text={code} />
    </div>
    {note}
  </li>
);

const KeyNote = ({ visit, name }: { readonly visit: ProjectVisit; readonly name: string }): Html => (
  <p class="soft">
    {may(visit.person, 'apiKeys:create') ? (
      <a href={withQuery(organizationPageHref(visit, 'settings', 'api-keys', 'new'), { project_id: visit.projectId })}>
        Create a Read &amp; Write key
      </a>
    ) : (
      'Ask an Admin for a Read & Write key'
    )}
    . Use it as the {name}. In CI, store it as a secret.
  </p>
);
