/** The buttons and the menu at the head of the page of a run. */

import type * as z from 'zod';
import { may } from '#shared/access/may.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { Icon } from '#shared/pages/design/icon.tsx';
import { Menu } from '#shared/pages/design/parts.tsx';
import { linkToNewShare, linkToRunPage } from '#shared/pages/shell/hrefs.ts';
import { mayAdd } from '#shared/pages/shell/may-add.ts';
import type { WholeRun } from '#shared/results/runs/run-wire.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

interface Props {
  readonly visit: ProjectVisit;
  readonly run: Pick<z.infer<typeof WholeRun>, 'runId' | 'completionState'>;
  /** Whether the run has failed, flaky or skipped tests, or may still get some because it is in progress. */
  readonly mayHaveFailures: boolean;
}

export const RunActions = ({ visit, run, mayHaveFailures }: Props): Html => (
  <>
    {visit.aiMayRead && mayHaveFailures && (
      <button type="button" class="quiet" hidden data-copy-from={linkToRunPage(visit, run.runId, 'context.md')}>
        <Icon name="sparkles" />
        Copy for an agent
      </button>
    )}
    {may(visit.person, 'runs:write') && run.completionState === 'IN_PROGRESS' && (
      <a class="button quiet danger" href={linkToRunPage(visit, run.runId, 'cancel')}>
        Cancel this run…
      </a>
    )}
    <Menu label="More actions">
      {visit.aiMayRead && (
        <a href={linkToRunPage(visit, run.runId, 'context.md')}>
          <Icon name="file-text" />
          Failures as Markdown
        </a>
      )}
      {mayAdd(visit, 'shares:write') && (
        <a href={linkToNewShare(visit, { runId: run.runId })}>
          <Icon name="external-link" />
          Share…
        </a>
      )}
      {may(visit.person, 'runs:write') && (
        <a href={linkToRunPage(visit, run.runId, 'delete')}>
          <Icon name="trash" />
          Delete…
        </a>
      )}
    </Menu>
  </>
);
