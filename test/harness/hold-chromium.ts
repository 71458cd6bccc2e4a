/** Opens the page at the address of the first argument in Chromium and stays. Tests kill it. */
import { launchChromium } from './launch-chromium.ts';

const [, , address = ''] = process.argv;
const page = await (await launchChromium()).newPage();
await page.goto(address);
