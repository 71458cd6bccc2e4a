/** How a suite gets to know the rules of its project. Without these lines, a rule changes nothing. */
import type { Html } from '#shared/engine/html/html.ts';
import { CopiedText } from '#shared/pages/design/parts.tsx';
import { linkToDocs } from '#shared/pages/shell/hrefs.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

const PLAYWRIGHT = "reporter: [['list'], ['rundown-cli/playwright']],";

const OLD_PLAYWRIGHT = `import { fixtures } from 'rundown-cli/playwright-fixtures';
export const test = base.extend(fixtures);`;

const VITEST = "setupFiles: ['rundown-cli/vitest-rules'],";

export const RunnersOfRules = ({ visit }: { readonly visit: ProjectVisit }): Html => (
  <>
    A run applies rules only if its suite reads them.
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
      <p>
        With other runners, rules have no effect. See the <a href={linkToDocs(visit)}>documentation</a>.
      </p>
    </details>
  </>
);
