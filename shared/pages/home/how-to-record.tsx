/**
 * Instructions for new projects: the commands that record or import the results of each framework, with the ids and
 * addresses of the project filled in.
 */

import { may } from '#shared/access/may.ts';
import type { Child, Html } from '#shared/engine/html/html.ts';
import { formatDsn } from '#shared/organizations/dsn.ts';
import { Icon } from '#shared/pages/design/icon.tsx';
import { Alternatives, CopiedText, GroupHead, Panel } from '#shared/pages/design/parts.tsx';
import { buildImportCommand, ImportForm } from '#shared/pages/imports/new-import-page.tsx';
import { ReportTools } from '#shared/pages/imports/report-tools.tsx';
import { buildClientUrl } from '#shared/pages/shell/client-path.ts';
import {
  addQuery,
  linkToConnectAgent,
  linkToOrganizationSettings,
  linkToProjectPage,
  linkToRuns,
} from '#shared/pages/shell/hrefs.ts';
import { makeLiveAttributes } from '#shared/pages/shell/live.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

interface Framework {
  readonly name: string;
  readonly note: string;
  /** How our own reporter records the results of the framework while its tests run. */
  readonly live?: {
    /** The configuration file, and the line in it that adds the reporter. Absent if the command names the reporter. */
    readonly config?: readonly [file: string, line: string];
    readonly run: string;
  };
  /** The command that writes a report. */
  readonly report: string;
  /** The file name of the report. Default: `report.xml`. */
  readonly file?: string;
  readonly hasPublishedReporter?: boolean;
}

const FRAMEWORKS: readonly Framework[] = [
  {
    name: 'Playwright',
    note: 'live, with traces and screenshots',
    live: {
      config: ['playwright.config.ts', "reporter: [['list'], ['rundown-cli/playwright']],"],
      run: 'npx playwright test',
    },
    report: 'PLAYWRIGHT_JSON_OUTPUT_NAME=report.json npx playwright test --reporter=list,json',
    file: 'report.json',
    hasPublishedReporter: true,
  },
  {
    name: 'Vitest',
    note: 'live',
    live: {
      config: ['vitest.config.ts, in “test”', "reporters: ['default', 'rundown-cli/vitest'],"],
      run: 'npx vitest run',
    },
    report: 'npx vitest run --reporter=default --reporter=junit --outputFile=report.xml',
  },
  {
    name: 'Jest',
    note: 'live',
    live: { config: ['jest.config.js', "reporters: ['default', 'rundown-cli/jest'],"], run: 'npx jest' },
    report:
      'npm i -D jest-junit\nJEST_JUNIT_OUTPUT_FILE=report.xml npx jest --reporters=default --reporters=jest-junit',
  },
  {
    name: 'node:test',
    note: 'live',
    // A reporter replaces that of Node, so the latter is named as well.
    live: {
      run: 'node --test --test-reporter=spec --test-reporter-destination=stdout --test-reporter=rundown-cli/node-test --test-reporter-destination=stdout',
    },
    report: 'node --test --test-reporter=junit --test-reporter-destination=report.xml',
  },
  { name: 'pytest', note: 'from its report', report: 'pytest --junitxml=report.xml' },
];

interface Props {
  readonly visit: ProjectVisit;
  readonly origin: string;
}

/** What a project without runs answers to a poll. */
export const NO_RUNS = 'no runs';

export const HowToRecord = ({ visit, origin }: Props): Html => (
  <div class="columns">
    <div>
      <GroupHead title="Send the first results" note="Your runs will appear on this page." />
      <RecordingLines visit={visit} origin={origin} />
      <section
        class="notice running"
        aria-label="First result"
        {...makeLiveAttributes(linkToProjectPage(visit, 'first-run', 'live'), NO_RUNS)}
      >
        <Icon name="loader-circle" />
        <div>
          <p role="status">
            <strong>Waiting for the first result.</strong> Your run appears here as soon as your tests have started.{' '}
            <a href={linkToRuns(visit)}>Look again</a>
          </p>
          <details>
            <summary>Nothing arrives?</summary>
            <ul>
              <li>
                Is RUNDOWN_DSN set where the tests run? In CI, a secret must also be passed to the job. The reporter
                says on its first line where it sends results, or why it sends none.
              </li>
              <li>Is its key a Read &amp; Write key of this organization, and has nobody revoked it?</li>
              <li>
                Can that machine reach <code>{origin}</code>?
              </li>
            </ul>
          </details>
        </div>
      </section>
    </div>
    <aside class="stack" aria-label="Other ways to start">
      {may(visit.person, 'runs:write') && (
        <Panel title="Import a report" note="from any framework">
          <ImportForm visit={visit} refused={undefined} />
        </Panel>
      )}
      <Panel title="Let an agent explain failures">
        <p>
          <a href={linkToConnectAgent(visit)}>Connect an agent</a>, which can then explain why tests fail.
        </p>
      </Panel>
    </aside>
  </div>
);

export const RecordingLines = ({ visit, origin }: Props): Html => (
  <FrameworkSteps
    origin={origin}
    projectId={visit.projectId}
    keyNote={
      may(visit.person, 'apiKeys:create') ? (
        <>
          <a
            href={addQuery(linkToOrganizationSettings(visit, 'api-keys', 'new'), {
              project_id: visit.projectId,
            })}
          >
            Create a Read &amp; Write key
          </a>
          . After you create it, you see these commands with the key filled in.
        </>
      ) : (
        'Ask an Admin for a Read & Write key, and put it in place of <key>.'
      )
    }
  />
);

interface StepsProps {
  readonly origin: string;
  readonly projectId: string;
  /** The API key, which is known only right after it was created. */
  readonly apiKey?: string;
  /** How to get a key. */
  readonly keyNote?: Child;
}

/** The commands that record results, for each framework. Our own reporter comes first. */
export const FrameworkSteps = (props: StepsProps): Html => (
  <Alternatives
    legend="What runs your tests?"
    name="framework"
    alternatives={[
      ...FRAMEWORKS.map((framework) => ({
        name: framework.name,
        note: framework.note,
        content: framework.live ? (
          <LiveSteps {...props} framework={framework} live={framework.live} />
        ) : (
          <ReportSteps {...props}>
            <CopiedText text={framework.report} />
          </ReportSteps>
        ),
      })),
      {
        name: 'Other',
        note: '.NET, Go, Java, Ruby and more',
        content: (
          <ReportSteps {...props}>
            <p class="soft">JUnit XML of any other tool is read, too.</p>
            <ReportTools />
          </ReportSteps>
        ),
      },
    ]}
  />
);

const KEY = '<key>';

const LiveSteps = ({
  framework: { name, report, file = 'report.xml', hasPublishedReporter = false },
  live: { config, run },
  origin,
  projectId,
  apiKey = KEY,
  keyNote,
}: StepsProps & { readonly framework: Framework; readonly live: NonNullable<Framework['live']> }): Html => (
  <>
    <ol class="panel numbered">
      <Step title="Install the reporter from this service" code={`npm i -D ${buildClientUrl(origin)}`} />
      <Step
        title="Set where the results go"
        code={`export RUNDOWN_DSN=${formatDsn(origin, projectId, apiKey)}`}
        note={
          <p class="soft">
            {keyNote && <>{keyNote} </>}
            In CI, store the value as a secret with the name RUNDOWN_DSN.
          </p>
        }
      />
      {config && <Step title={`Add the reporter to ${config[0]}`} code={config[1]} />}
      <Step title="Run your tests" code={run} />
    </ol>
    <details class="other-ways">
      <summary>Other ways to record {name} results</summary>
      {hasPublishedReporter && (
        <>
          <h3>With @currents/playwright</h3>
          <p>This published reporter records live, too. It sends at least two requests for each test.</p>
          <CopiedText
            text={[
              'npm i -D @currents/playwright',
              `export CURRENTS_API_URL=${origin}`,
              `export CURRENTS_PROJECT_ID=${projectId}`,
              `export CURRENTS_RECORD_KEY=${apiKey}`,
              'npx playwright test --reporter=@currents/playwright',
            ].join('\n')}
          />
        </>
      )}
      <h3>Upload a report after the run</h3>
      <p>Install the package and set the variable as above. Then send a report, even if tests failed:</p>
      <CopiedText text={`${report}\nnpx --no rundown upload ${file}`} />
    </details>
  </>
);

const ReportSteps = ({
  origin,
  projectId,
  apiKey = KEY,
  keyNote,
  children,
}: StepsProps & { readonly children?: Child }): Html => (
  <ol class="panel numbered">
    <li>
      <b>Run your tests, and write a report</b>
      {children}
    </li>
    <Step
      title="Send the report, even if tests failed"
      code={buildImportCommand(origin, projectId, apiKey)}
      note={
        <p class="soft">
          {keyNote && <>{keyNote} </>}
          In CI, store the key as a secret.
        </p>
      }
    />
    <Step
      title="Or let the command find the reports, branch and build"
      code={[
        `export RUNDOWN_DSN=${formatDsn(origin, projectId, apiKey)}`,
        `npx --yes --package=${buildClientUrl(origin)} rundown upload`,
      ].join('\n')}
      note={
        <p class="soft">It needs Node, and no project in JavaScript. It names the reports that it found and left.</p>
      }
    />
  </ol>
);

interface StepProps {
  readonly title: string;
  readonly code: string;
  readonly note?: Child;
}

const Step = ({ title, code, note }: StepProps): Html => (
  <li>
    <b>{title}</b>
    <CopiedText text={code} />
    {note}
  </li>
);
