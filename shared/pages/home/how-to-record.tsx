/** Getting started, for a project without runs. */

import { may } from '#shared/access/may.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { ImportCommand, ImportForm } from '#shared/pages/imports/new-import-page.tsx';
import { connectAgentHref, organizationPageHref, withQuery } from '#shared/pages/shell/hrefs.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

/** Commands that record with the published Playwright reporter. `key`: only known right after its creation. */
export const reporterLines = (origin: string, projectId: string, key = '<record key>'): string =>
  [
    `export CURRENTS_API_URL=${origin}`,
    `export CURRENTS_PROJECT_ID=${projectId}`,
    `export CURRENTS_RECORD_KEY=${key}`,
    'npx playwright test --reporter=@currents/playwright',
  ].join('\n');

export const HowToRecord = ({ visit, origin }: { readonly visit: ProjectVisit; readonly origin: string }): Html => (
  <section class="card">
    <h2>No runs yet</h2>
    <p>
      1. {may(visit.person, 'apiKeys:create') ? <NewKeyLink visit={visit} /> : 'Ask an Admin for a Read & Write key.'}{' '}
      Use it as the record key.
    </p>
    <p>2. Install the reporter in your Playwright project, and record a run:</p>
    <pre class="wrap">{`npm install --save-dev @currents/playwright\n${reporterLines(origin, visit.projectId)}`}</pre>
    <p>3. Reload this page. The run appears while it is in progress.</p>
    <p>
      4. <a href={connectAgentHref(visit)}>Connect an agent</a>, which can then explain why tests fail.
    </p>
    <h3>Or import a report</h3>
    <p>Any test framework can write a report that Rundown reads. Import it here, or from CI:</p>
    {may(visit.person, 'runs:write') && <ImportForm visit={visit} refused={undefined} />}
    <ImportCommand visit={visit} origin={origin} />
  </section>
);

const NewKeyLink = ({ visit }: { readonly visit: ProjectVisit }): Html => (
  <>
    <a href={withQuery(organizationPageHref(visit, 'settings', 'api-keys', 'new'), { project_id: visit.projectId })}>
      Create a Read &amp; Write key
    </a>
    .
  </>
);
