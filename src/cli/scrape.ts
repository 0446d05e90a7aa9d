import { Command } from 'commander'
export const scrapeCommand = () => new Command('scrape')
