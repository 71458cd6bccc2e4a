/** The process is killed, as when the machine has no memory left. */
test('runs', () => {});

test('needs too much memory', async () => {
  await new Promise((resolve) => setTimeout(resolve, 50));
  process.kill(process.pid, 'SIGKILL');
});
