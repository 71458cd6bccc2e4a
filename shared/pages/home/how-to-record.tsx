/** What the list of runs shows in a project without runs: how to record or import the first one. */
import { may } from '#shared/access/may.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { Icon } from '#shared/pages/design/icon.tsx';
import { GroupHead, Panel } from '#shared/pages/design/parts.tsx';
import { ImportForm } from '#shared/pages/imports/new-import-page.tsx';
import { linkToConnectAgent, linkToProjectPage, linkToRuns } from '#shared/pages/shell/hrefs.ts';
import { makeLiveAttributes } from '#shared/pages/shell/live.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { RecordingLines } from './recording-steps.tsx';

interface Props {
  readonly visit: ProjectVisit;
  readonly origin: string;
}

/** The state of a project without runs, which the page polls until a run has arrived. */
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
