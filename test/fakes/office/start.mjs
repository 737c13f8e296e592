// Runs the office by hand or for another process: node test/fakes/office/start.mjs
import { startOffice } from './server.ts';

const office = await startOffice();
console.log(`office ready at ${office.url}`);
