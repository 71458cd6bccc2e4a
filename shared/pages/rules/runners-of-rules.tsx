/** Whether the suite of a project reads its rules, and the lines to add. Without these lines, a rule changes nothing. */
import type { Html } from '#shared/engine/html/html.ts';
import { FullTime } from '#shared/pages/design/format.tsx';
import { CopiedText } from '#shared/pages/design/parts.tsx';
import { linkToDocs } from '#shared/pages/shell/hrefs.ts';
import type { Runners } from '#shared/rules/read-runners.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

const PLAYWRIGHT = "reporter: [['list'], ['rundown-cli/playwright']],";

const OLD_PLAYWRIGHT = `import { fixtures } from 'rundown-cli/playwright-fixtures';
export const test = base.extend(fixtures);`;

const REPORT = 'npx --no -- rundown run --report report.xml -- pytest --junitxml=report.xml';

const VITEST = "setupFiles: ['rundown-cli/vitest-rules'],";

interface Props {
  readonly visit: ProjectVisit;
  readonly runners: Runners;
}

export const RunnersOfRules = ({ visit, runners }: Props): Html =>
  runners.appliedAt === undefined ? (
    <>
      <p>{describeRunners(runners)} A run applies rules only if its suite reads them.</p>
      <LinesToAdd visit={visit} />
    </>
  ) : (
    <p>
      The suite of this project reads rules: a run last applied one on <FullTime at={runners.appliedAt} />.
    </p>
  );

function describeRunners({ state, framework }: Runners): string {
  if (state === 'noRuns') return 'This project has no runs yet.';
  if (state === 'imported')
    return 'No run of this project has applied a rule yet. Its newest run is an import, and an import applies quarantines only if it is asked to.';
  if (state === 'otherFramework')
    return `No run of this project has applied a rule yet, and the reporter of its newest run, of ${framework}, reads none.`;
  return 'No run of this project has applied a rule yet.';
}

const LinesToAdd = ({ visit }: Pick<Props, 'visit'>): Html => (
  <details>
    <summary>The lines to add</summary>
    <p>
      Playwright 1.62 and later need only the reporter, in <code>playwright.config.ts</code>:
    </p>
    <CopiedText text={PLAYWRIGHT} label="Copy the line for Playwright" />
    <p>
      Earlier versions also need fixtures, in the file that exports <code>test</code> to the tests:
    </p>
    <CopiedText text={OLD_PLAYWRIGHT} label="Copy the lines for Playwright before 1.62" />
    <p>Vitest, in its configuration:</p>
    <CopiedText text={VITEST} label="Copy the line for Vitest" />
    <p>With any other runner, only quarantines have an effect, through the report that it writes:</p>
    <CopiedText text={REPORT} label="Copy the command for other runners" />
    <p>
      See the <a href={linkToDocs(visit)}>documentation</a>.
    </p>
  </details>
);
