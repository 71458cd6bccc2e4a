/**
 * Uploads a report that is too large for the form directly to S3, and shows the progress. The form sends smaller ones.
 */
const TOO_LARGE = 'The file is larger than 250 MB. Split the report.';
const FAILED = 'The upload failed. Check your connection, reload the page and try again.';

/** XMLHttpRequest, because `fetch` does not report upload progress. */
const put = (address, file, tell) =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('PUT', address);
    request.upload.addEventListener('progress', ({ loaded, total }) => tell(loaded, total));
    request.addEventListener('load', () =>
      request.status === 200 ? resolve() : reject(new Error(request.statusText)),
    );
    request.addEventListener('error', () => reject(new Error('The store cannot be reached')));
    // Strips the content type, because the presigned URL allows no further header.
    request.send(file.slice(0, file.size, ''));
  });

const megabytes = (bytes) => (bytes / 1024 / 1024).toFixed(1);

const send = async (form, file) => {
  const sending = form.querySelector('[data-sending]');
  const [bar, status] = [sending.querySelector('progress'), sending.querySelector('[role=status]')];
  sending.hidden = false;
  const body = new URLSearchParams({ name: file.name, branch: form.elements.namedItem('branch').value });
  const answer = await fetch(form.dataset.links, { method: 'POST', body, redirect: 'error' });
  if (!answer.ok) throw new Error(`The link was refused with ${answer.status}`);
  const { uploadUrl, place } = await answer.json();
  await put(uploadUrl, file, (sent, total) => {
    bar.value = (100 * sent) / total;
    status.textContent = `${megabytes(sent)} of ${megabytes(total)} MB`;
  });
  location.assign(place);
};

for (const form of document.querySelectorAll('form[data-links]')) {
  const problem = form.querySelector('[data-problem]');
  const button = form.querySelector('button');
  const say = (text) => {
    problem.textContent = text;
    problem.hidden = text === '';
  };
  form.addEventListener('submit', async (event) => {
    const [file] = form.elements.namedItem('report').files;
    say('');
    if (!file || file.size <= Number(form.dataset.formBytes)) return;
    event.preventDefault();
    if (file.size > Number(form.dataset.mostBytes)) return say(TOO_LARGE);
    button.disabled = true;
    try {
      await send(form, file);
    } catch {
      say(FAILED);
      form.querySelector('[data-sending]').hidden = true;
      button.disabled = false;
    }
  });
}
