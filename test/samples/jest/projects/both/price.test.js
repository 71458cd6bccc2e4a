/**
 * Both projects run this file. It is the largest one and takes long enough, so that Jest runs it first and in two worker
 * processes at the same time.
 */
const pause = () => new Promise((resolve) => setTimeout(resolve, 300));
const isFirstWorker = process.env.JEST_WORKER_ID === '1';

test('has a currency', pause);

test('includes the tax', async () => {
  await pause();
  if (isFirstWorker) throw new Error('no tax');
});

test('is rounded', pause);
