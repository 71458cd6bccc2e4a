/** A list that replaces a queue, because a real queue cannot list its messages. */
import type { QueuedMessage } from '#shared/engine/outbox/message-queue.ts';
import type { DeliveryJob } from '#shared/model/events/outbox-content.ts';

export function queuedJobs() {
  const jobs: QueuedMessage<DeliveryJob>[] = [];
  return {
    jobs,
    queue: { send: async (more: readonly QueuedMessage<DeliveryJob>[]) => void jobs.push(...more) },
    /** The jobs as lines of text without their delays, for the option `outside` of `interruptions`. */
    listed: () => jobs.map(({ message }) => `job ${JSON.stringify(message)}`),
    forget: () => {
      jobs.length = 0;
    },
  };
}
