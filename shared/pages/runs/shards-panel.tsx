/** The shards into which Rundown divided the tests of a build, with the time that was planned for each. */
import type { Html } from '#shared/engine/html/html.ts';
import { DataTable, numbers } from '#shared/pages/design/data-table.tsx';
import { formatCount, formatDuration } from '#shared/pages/design/format.tsx';
import { Panel } from '#shared/pages/design/parts.tsx';

export interface PlannedShards {
  readonly shards: readonly { readonly number: number; readonly plannedMs: number; readonly tookMs: number | null }[];
  /** How much longer the slowest shard would take with Playwright’s own split. `null` if it is not known. */
  readonly savedMs: number | null;
}

export function Shards({ plan }: { readonly plan: PlannedShards | undefined }): Html {
  if (!plan) return <></>;
  const { shards, savedMs } = plan;
  return (
    <Panel
      title="Shards"
      note={formatCount(shards.length)}
      isFlush
      footer={
        savedMs !== null &&
        savedMs > 0 && <span class="soft">The split of Playwright would take {formatDuration(savedMs)} longer.</span>
      }
    >
      <DataTable label="Shards" columns={['Shard', ...numbers('Planned', 'Took')]}>
        {shards.map(({ number, plannedMs, tookMs }) => (
          <tr>
            <th scope="row">{String(number)}</th>
            <td class="number">{formatDuration(plannedMs)}</td>
            <td class="number">{tookMs === null ? '–' : formatDuration(tookMs)}</td>
          </tr>
        ))}
      </DataTable>
    </Panel>
  );
}
