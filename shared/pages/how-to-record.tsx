/** The first steps of a project without runs. */
import type { Html } from '#shared/engine/html/html.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { organizationPageHref } from './hrefs.ts';

/** The three variables of the published Playwright reporter. `key`: shown once, when it was created. */
const reporterLines = (origin: string, projectId: string, key = '<record key>'): string =>
  [
    `export CURRENTS_API_URL=${origin}`,
    `export CURRENTS_PROJECT_ID=${projectId}`,
    `export CURRENTS_RECORD_KEY=${key}`,
    'npx playwright test --reporter=@currents/playwright',
  ].join('\n');

export const HowToRecord = ({ visit, origin }: { readonly visit: ProjectVisit; readonly origin: string }): Html => (
  <section class="card">
    <h2>No run was recorded yet</h2>
    <p>
      1. Create a Read &amp; Write key under <a href={organizationPageHref(visit, 'settings', 'api-keys')}>API keys</a>.
      It is the record key.
    </p>
    <p>2. Install the reporter in your Playwright project, and record a run:</p>
    <pre>{`npm install --save-dev @currents/playwright\n${reporterLines(origin, visit.projectId)}`}</pre>
    <p>3. Reload this page. The run appears while it is in progress.</p>
  </section>
);
