/** The tries of a build. If a CI system runs a job again, each try is a run of its own. */
import type * as z from 'zod';
import type { Html } from '#shared/engine/html/html.ts';
import { Ago, formatCount } from '#shared/pages/design/format.tsx';
import { OutcomeMark } from '#shared/pages/design/outcome.tsx';
import { Notice, Panel } from '#shared/pages/design/parts.tsx';
import { getRunOutcome } from '#shared/pages/design/run-outcome.ts';
import { linkToRun } from '#shared/pages/shell/hrefs.ts';
import type { WholeRun } from '#shared/results/runs/run-wire.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

interface Props {
  readonly visit: ProjectVisit;
  readonly run: Pick<z.infer<typeof WholeRun>, 'runId' | 'build'>;
  readonly now: number;
}

/**
 * Says how the tries of a build ended. The newest one shows all of them together, and an earlier one leads there.
 */
export function TriesNote({ visit, run: { runId, build } }: Omit<Props, 'now'>): Html {
  if (!build) return <></>;
  const { tries, newestRunId } = build;
  if (newestRunId !== runId)
    return (
      <Notice tone="flaky">
        This page shows an earlier try of the build. <a href={linkToRun(visit, newestRunId)}>The newest try</a> shows
        all tries together.
      </Notice>
    );
  const endings = tries.map((one, index) => `try ${index + 1} ${nameEnding(one)}`);
  return (
    <p class="soft">
      This build has {formatCount(tries.length)} tries: {endings.join(', ')}. The counts are those of all tries
      together.
    </p>
  );
}

type Try = NonNullable<Props['run']['build']>['tries'][number];

function nameEnding(one: Try): string {
  if (one.completionState === 'IN_PROGRESS') return 'is running';
  if (one.completionState === 'CANCELED') return 'was cancelled';
  return one.status === 'PASSED' ? 'passed' : 'failed';
}

export function Tries({ visit, run: { runId, build }, now }: Props): Html {
  if (!build) return <></>;
  const { tries, newestRunId } = build;
  const number = tries.findIndex((one) => one.runId === runId) + 1;
  const note = newestRunId === runId ? 'shown together' : 'shown alone';
  return (
    <Panel title={`Try ${number} of ${tries.length}`} note={note} isFlush>
      <ul class="rows whole">
        {tries.map((one, index) => (
          <li>
            <OutcomeMark {...getRunOutcome(one)} size="small" />
            <div class="grow">
              {one.runId === runId ? (
                <b>Try {index + 1}, this one</b>
              ) : (
                <a class="whole-link" href={linkToRun(visit, one.runId)}>
                  Try {index + 1}
                  {one.runId === newestRunId && ', the newest'}
                </a>
              )}
              <div class="meta">
                <code>{one.ciBuildId}</code>
              </div>
            </div>
            <Ago at={one.createdAt} now={now} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
