/** The page that imports a report file: a form to upload it, and the command that does the same in CI. */

import type { Html } from '#shared/engine/html/html.ts';
import { TextField } from '#shared/pages/design/fields.tsx';
import { PageHead, Panel } from '#shared/pages/design/parts.tsx';
import { linkToImports } from '#shared/pages/shell/hrefs.ts';
import { FORM_BYTES } from '#shared/pages/shell/limits.ts';
import { RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import type { WithForms } from '#shared/pages/shell/view.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { ReportTools } from './report-tools.tsx';

interface Props extends WithForms<ProjectVisit> {
  readonly origin: string;
}

export const NewImportPage = ({ visit, refused, origin }: Props): Html => (
  <>
    <PageHead title="Import a report" meta="The file that your test tool writes, or a zip archive of several" />
    <div class="columns">
      <Panel title="From this computer">
        <ImportForm visit={visit} refused={refused} />
      </Panel>
      <Panel title="From CI">
        <p>After your tests, send the report with this command and a Read &amp; Write key, even if tests failed:</p>
        <pre class="wrap">{buildImportCommand(origin, visit.projectId)}</pre>
      </Panel>
    </div>
    <Panel title="What test tools write" note="JUnit XML and CTRF of any tool are read, too">
      <ReportTools />
    </Panel>
  </>
);

/** Browsers support drag and drop on file fields without JavaScript. The script uploads large files directly to S3. */
export const ImportForm = ({ visit, refused }: Pick<Props, 'visit' | 'refused'>): Html => (
  <form
    method="post"
    action={linkToImports(visit, 'new')}
    enctype="multipart/form-data"
    data-links={linkToImports(visit, 'links')}
    data-form-bytes={String(FORM_BYTES)}
    data-most-bytes={String(REPORT_LIMITS.reading.bytes)}
  >
    <RefusalMessage refused={refused} of="submitImport" title="The report was not imported." />
    <div class="field">
      <label for="report">Report file, up to 250 MB</label>
      <input id="report" name="report" type="file" required class="drop" aria-describedby="report-hint" />
      <p id="report-hint" class="hint">
        Choose a file, or drop it here.
      </p>
      <noscript>
        <p class="hint">
          Without JavaScript, this form accepts files of up to 4 MB. Upload larger files with the command “rundown
          upload”.
        </p>
      </noscript>
    </div>
    <TextField label="Branch" name="branch" hint="Optional" />
    <button type="submit">Import</button>
    <p data-sending hidden>
      <progress max={100} value={0} aria-label="Upload progress" /> <span role="status" />
    </p>
    <p class="notice problem-text" role="alert" data-problem hidden />
  </form>
);

export const buildImportCommand = (origin: string, projectId: string, apiKey = '<API key>'): string =>
  [
    `curl -H 'Authorization: Bearer ${apiKey}' --data-binary @report.xml \\`,
    `  '${origin}/v1/projects/${projectId}/imports?branch=main'`,
  ].join('\n');
