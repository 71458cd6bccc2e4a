/** The commands that record or import the results of each framework, with the ids and addresses of the project filled in. */
import { may } from '#shared/access/may.ts';
import type { Child, Html } from '#shared/engine/html/html.ts';
import { formatDsn } from '#shared/organizations/dsn.ts';
import { Alternatives, CopiedText } from '#shared/pages/design/parts.tsx';
import { buildImportCommand } from '#shared/pages/imports/new-import-page.tsx';
import { ReportTools } from '#shared/pages/imports/report-tools.tsx';
import { buildClientUrl } from '#shared/pages/shell/client-path.ts';
import { addQuery, linkToOrganizationSettings } from '#shared/pages/shell/hrefs.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { FRAMEWORKS, type Framework, type LiveRecording } from './frameworks.ts';

interface LinesProps {
  readonly visit: ProjectVisit;
  readonly origin: string;
}

export const RecordingLines = ({ visit, origin }: LinesProps): Html => (
  <FrameworkSteps
    origin={origin}
    projectId={visit.projectId}
    keyNote={(framework) =>
      may(visit.person, 'apiKeys:create') ? (
        <>
          <a
            href={addQuery(linkToOrganizationSettings(visit, 'api-keys', 'new'), {
              project_id: visit.projectId,
              framework,
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
  /** How to get a key, for people who have chosen the framework. */
  readonly keyNote?: (framework: string) => Child;
  /** The framework that is shown first. */
  readonly framework?: string | undefined;
}

/** The choice beside the frameworks with steps of their own. */
const OTHER = 'Other';

/** The commands that record results, for each framework. Our own reporter comes first. */
export const FrameworkSteps = (props: StepsProps): Html => (
  <Alternatives
    legend="What runs your tests?"
    name="framework"
    selected={props.framework}
    alternatives={[
      ...FRAMEWORKS.map((framework) => ({
        name: framework.name,
        note: framework.note,
        content: framework.live ? (
          <LiveSteps {...props} steps={framework} live={framework.live} />
        ) : (
          <ReportSteps {...props} name={framework.name}>
            <CopiedText text={framework.report} />
          </ReportSteps>
        ),
      })),
      {
        name: OTHER,
        note: '.NET, Go, Java, Ruby and more',
        content: (
          <ReportSteps {...props} name={OTHER}>
            <p class="soft">JUnit XML of any other tool is read, too.</p>
            <ReportTools />
          </ReportSteps>
        ),
      },
    ]}
  />
);

/** Stands for the key in commands as long as it is not known. */
const KEY = '<key>';

const LiveSteps = ({
  steps: { name, report, file = 'report.xml', hasPublishedReporter = false },
  live: { config, run },
  origin,
  projectId,
  apiKey = KEY,
  keyNote,
}: StepsProps & { readonly steps: Framework; readonly live: LiveRecording }): Html => (
  <>
    <ol class="panel numbered">
      <Step title="Install the reporter from this service" code={`npm i -D ${buildClientUrl(origin)}`} />
      <Step
        title="Set where the results go"
        code={`export RUNDOWN_DSN=${formatDsn(origin, projectId, apiKey)}`}
        note={
          <p class="soft">
            {keyNote && <>{keyNote(name)} </>}
            In CI, store the value as a secret with the name RUNDOWN_DSN.
          </p>
        }
      />
      {config && <Step title={`Add the reporter to ${config.file}`} code={config.line} />}
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
  name,
  children,
}: StepsProps & { readonly name: string; readonly children?: Child }): Html => (
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
          {keyNote && <>{keyNote(name)} </>}
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
