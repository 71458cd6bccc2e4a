/** Lists the quarantined tests that failed in a run. */
import type { Html } from '#shared/engine/html/html.ts';
import { counted } from '#shared/pages/design/format.tsx';
import { Panel } from '#shared/pages/design/parts.tsx';
import { testOfRunHref } from '#shared/pages/shell/hrefs.ts';
import type { Quarantined } from '#shared/rules/list-quarantined.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

interface Props extends Quarantined {
  readonly visit: ProjectVisit;
}

export const QuarantinedTests = ({ visit, tests, hasMore }: Props): Html =>
  tests.length === 0 ? (
    <span hidden />
  ) : (
    <Panel
      title="Quarantined"
      note={`${hasMore ? 'More than ' : ''}${counted(tests.length, 'test')} failed in quarantine. Quarantined tests do not affect the result of the run.`}
      isFlush
    >
      <ul class="rows">
        {tests.map((test) => (
          <li>
            <a href={testOfRunHref(visit, test)}>{test.title.join(' › ')}</a>
            <small>
              {test.spec} · {test.groupId}
            </small>
          </li>
        ))}
      </ul>
    </Panel>
  );
