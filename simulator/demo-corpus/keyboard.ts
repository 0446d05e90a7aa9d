export const keyboardShortcuts = `
Customizable keyboard shortcuts | Ctrl+K opens my password manager, so I can never use the search of {p}. Let me choose the keys.
Let me change the keyboard shortcuts | On a German layout half of the shortcuts need three fingers. A settings page for them would be great.
Remap keyboard shortcuts | I come from another editor with twenty years in my fingers. Please add a way to assign keys.
Keyboard shortcut to archive | Everything else in my morning round works with the keyboard, then I reach for the mouse forty times to archive.
A list of all keyboard shortcuts | I find them by accident. Pressing the question mark should show them, as it does nearly everywhere.
Show shortcuts in tooltips | When I hover over a button I would like to see its key beside the name, so that I learn them on the way.
Keyboard shortcuts sheet to print | New colleagues ask for a page to pin beside the monitor.
Vim keybindings | hjkl in lists, dd to delete, and I would never complain again. The keyboard is where I live.
Emacs keyboard shortcuts in the editor | Ctrl+A jumps to the start of the line everywhere on my machine, except in {p}, where it selects everything.
Shortcut to assign an issue to myself | I do that fifty times a day with three clicks each.
Shortcut to move between tabs | Ctrl+Tab belongs to the browser, so please use something else, but use something.
Turn off single-key shortcuts | My cat archived eleven conversations. A setting that asks for a modifier would protect me.
Disable keyboard shortcuts while dictating | Voice input triggers single letters, and each of them does something. WCAG has a rule about exactly this.
Keyboard shortcuts for the table view | Arrow keys move the page instead of the cell. I would like to work in it as in a spreadsheet.
Global shortcut for quick capture | An idea comes while I am in another window. One key that opens a small field of {p} would be wonderful.
Quick add from anywhere with a hotkey | By the time the app is in front I have forgotten what I wanted to write. A system-wide shortcut would fix that.
Shortcut to copy the link of the current item | I share links all day, and each costs me a context menu.
Keyboard shortcuts on iPad | An external keyboard is attached and only Cmd+C works.
Multi-step shortcuts | G then I for the inbox, G then P for projects. It would be nice if keyboard shortcuts could be sequences.
Undo with Ctrl+Z in lists | Ctrl+Z works in text but not after I moved a card to the wrong column.
Shortcut for strikethrough | Bold and italic have one. Feature request: Ctrl+Shift+X for crossed-out text.
Sync my shortcuts between computers | Office, home, laptop: three times the same configuration of keyboard shortcuts.
Import a shortcut scheme | Sharing ours in the team as a file would end many arguments.
Shortcut conflicts with screen readers | NVDA uses Insert+F7, and {p} takes it away. Please leave those keys alone.
! Keyboard shortcuts stopped working in Firefox 131 | They come back after a reload. Console says "undefined is not a function".
! Love the shortcuts | Great work, folks. That is all.
`

export const search = `
Search inside attachments | The contract is a PDF, the word is in it, and search finds nothing.
Search filters by author and date | I know who wrote it and roughly when. I wish search let me say so.
Saved searches | I type the same long search every Monday. Let me keep it with a name.
Search results should be sorted by date | Relevance shows a page of 2019 first. Please add an order by newest.
Typo tolerance in search | One swapped letter and the result is an empty page.
Exact phrase search with quotes | "blue team" gives me everything blue and every team.
Search and replace over several documents | The product was renamed, and two hundred pages want to know.
Search history | What did I look for yesterday that worked so well?
Highlight the matches of a search in the document | The result opens at the top and I search again by eye.
Regular expressions in search | I would like to find every ticket number of the old form.
Search across workspaces | Five clients are five searches. One field for all of them would be great.
Exclude words from a search | Minus before a word works in any other search that I know.
Index comments too | Decisions are made in comments, and search pretends that they do not exist.
Search by emoji reaction | We mark decisions with a check mark and can never find them again.
Keyboard navigation in search results | Arrow down should go to the first hit.
Search should ignore accents | Nobody here types the accent in "Café", and so nobody finds the meeting room.
Boolean operators in search | Invoice AND (draft OR overdue) is not a strange thing to ask of {p}.
Search for untagged items | I want to tidy up what has no label yet.
! Search is slow today | Ten seconds per query since noon. Fine again after lunch.
`
