/** A list that replaces a queue, because real queues cannot show their messages. */
import type { QueuedMessage } from '#shared/engine/outbox/message-queue.ts';
import type { DeliveryJob } from '#shared/model/events/outbox-content.ts';

export function queuedJobs() {
  const jobs: QueuedMessage<DeliveryJob>[] = [];
  return {
    jobs,
    queue: { send: async (more: readonly QueuedMessage<DeliveryJob>[]) => void jobs.push(...more) },
    /** The jobs in the format of the `outside` effects of `interruptions`, without their delays. */
    listed: () => jobs.map(({ message }) => `job ${JSON.stringify(message)}`),
    forget: () => {
      jobs.length = 0;
    },
  };
}
